"""The packers and unpackers of messages with typed parameters: one pair for each sequence of types that occurs."""

from collections.abc import Sequence

from google.protobuf.message import Message

from ..errors import FrameError
from .layout import Layout, Number, Part, typed_step
from .packers import Pack, packer
from .unpackers import Unpack, unpacker

MOST_PARAMETERS = 256
"""Maximum parameters of a description; more are refused, because a function is compiled for each sequence of types."""

MOST_VARIANTS = 512
"""Maximum compiled functions kept for the parameter sequences of one message; above it, all are dropped."""


class Variants:
    """The packers and unpackers of one message."""

    def __init__(self, layout: Layout, message: type[Message], padded: bool) -> None:
        self.layout = layout
        self.message = message
        self.padded = padded
        self.offset = self._offset_of_type(layout)
        self.rule = typed_step(layout).rule
        self.unpackers: dict[tuple[int, ...], Unpack] = {}
        self.packers: dict[tuple[int, ...], Pack] = {}

    @staticmethod
    def _offset_of_type(layout: Layout) -> int:
        offset = 0
        for step in layout.steps:
            assert isinstance(step, Number), "only numbers may come before the type of typed parameters"
            if step.name == "otype":
                return offset
            offset += step.size
        raise AssertionError(f"{layout.name} has typed parameters but no field otype")

    def unpacker(self, types: tuple[int, ...]) -> Unpack:
        """The function that reads a message with these parameter types. Raises FrameError for unknown ones."""
        function = self.unpackers.get(types)
        if function is None:
            function = unpacker(self.layout, self.message, self.padded, chosen(self.layout, types))
            if len(self.unpackers) >= MOST_VARIANTS:
                self.unpackers.clear()
            self.unpackers[types] = function
        return function

    def packer(self, types: tuple[int, ...]) -> Pack:
        """The function that writes a message with these parameter types. Raises FrameError for unknown ones."""
        function = self.packers.get(types)
        if function is None:
            function = packer(self.layout, self.padded, chosen(self.layout, types))
            if len(self.packers) >= MOST_VARIANTS:
                self.packers.clear()
            self.packers[types] = function
        return function


def chosen(layout: Layout, types: Sequence[int]) -> list[Part]:
    """The layouts of the typed parameters for a sequence of type ids. Raises FrameError for unknown ones."""
    if len(types) > MOST_PARAMETERS:
        raise FrameError(f"A type with {len(types)} parameters is not supported; {MOST_PARAMETERS} are the most.")
    alternatives = typed_step(layout).alternatives
    for position, type_id in enumerate(types):
        if type_id not in alternatives:
            raise FrameError(
                f"Parameter {position} of this {layout.name} is described with type {type_id}; there are types 0 to "
                f"{max(alternatives)} only."
            )
    return [alternatives[type_id] for type_id in types]
