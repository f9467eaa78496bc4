"""axe-core in a page: its findings about accessibility."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from playwright.sync_api import Locator, Page

from tests.support.chromium import missing

SCRIPT = Path(__file__).parents[2] / ".cache" / "axe" / "package" / "axe.min.js"
MISSING = (
    "axe-core was not found at .cache/axe/package/axe.min.js: run .ci/run, which fetches it, or in .cache/axe"
    " npm pack axe-core@4 && tar -xzf axe-core-*.tgz"
)
GRAVE = ("serious", "critical")
WINDOWS: tuple[tuple[Literal["dark", "light"], int], ...] = (("dark", 360), ("light", 1280))
"""Theme and width: each theme, and a narrow and a wide window."""

# No rule is left out. The answer is cut down to what is reported.
RUN = """async () => {
  const told = await axe.run(document, { resultTypes: ["violations"] });
  const places = ({ target, failureSummary }) => ({ target: String(target), failureSummary });
  const rows = told.violations.map(({ id, impact, help, nodes }) => ({ id, impact, help, nodes: nodes.map(places) }));
  return { violations: rows, passes: told.passes.length };
}"""


@dataclass(frozen=True)
class Finding:
    """One rule that a scene of the page breaks, and where."""

    scene: str
    rule: str
    impact: str
    help: str
    places: tuple[str, ...]

    @property
    def is_grave(self) -> bool:
        return self.impact in GRAVE

    def __str__(self) -> str:
        return "\n    ".join([f"{self.scene}: {self.impact}: {self.rule}: {self.help}", *self.places])


def script() -> str:
    """The text of axe-core; skips the test (or fails it, see `missing`) where it is not."""
    if not SCRIPT.is_file():
        missing(MISSING)
    return SCRIPT.read_text(encoding="utf-8")


def look(page: Page, axe: str, scene: str) -> list[Finding]:
    """Let axe-core look at the page as it is now.

    The script comes in by the debugging protocol, so that the page's own security policy stays as it is.
    """
    if not page.evaluate("typeof window.axe === 'object'"):
        page.evaluate(axe)
    told: dict[str, Any] = page.evaluate(RUN)
    assert told["passes"] > 10, f"{scene}: axe-core has looked at almost nothing"
    return [_finding(scene, row) for row in told["violations"]]


def look_in_windows(page: Page, axe: str, scene: str) -> list[Finding]:
    """Let axe-core look at the page as it is now, in both themes, narrow and wide."""
    found = []
    for theme, width in WINDOWS:
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        page.set_viewport_size({"width": width, "height": 800})
        found += look(page, axe, f"{scene}, {theme}, {width} px")
    return found


def assert_accessible(page: Page, dialog: Locator, scene: str) -> None:
    """Look at the page in all windows: nothing is found, and the dialog is as narrow as the window."""
    page.set_viewport_size({"width": WINDOWS[0][1], "height": 800})
    assert dialog.evaluate("box => box.scrollWidth <= box.clientWidth"), "it is as narrow as the window"
    findings = look_in_windows(page, script(), scene)
    assert findings == [], report(findings)


def _finding(scene: str, row: dict[str, Any]) -> Finding:
    places = tuple(f"{node['target']}: {' '.join(node['failureSummary'].split())}" for node in row["nodes"])
    return Finding(scene, row["id"], row["impact"] or "none", row["help"], places)


def report(findings: Iterable[Finding]) -> str:
    return "\n".join(map(str, findings))
