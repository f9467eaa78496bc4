"""Screens that are set up once their widgets are there."""

from typing import TypeVar

from textual.screen import ModalScreen, Screen

T = TypeVar("T")


class ComposedScreen(Screen[T]):
    """A screen whose widgets are set up in `composed`.

    Textual mounts a screen that is pushed while the program ends, but not all of its widgets, or none: whoever looks
    for one in `on_mount` or `on_resize` ends the program with a traceback instead.
    """

    @property
    def is_composed(self) -> bool:
        """Whether the widgets are there, in `on_mount` and after: unless the program ends, all of them are."""
        return self.is_attached and self.app.is_running

    def on_mount(self) -> None:
        if self.is_composed:
            self.composed()

    def on_resize(self) -> None:
        if self.is_composed:
            self.resized()

    def composed(self) -> None:
        """Set up the widgets, and give one the focus."""

    def resized(self) -> None:
        """Fit the widgets into the size that the screen has now."""


class ComposedModalScreen(ModalScreen[T], ComposedScreen[T]):
    """The same above another screen."""
