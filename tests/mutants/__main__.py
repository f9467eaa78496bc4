"""Mutation tests: `python -m tests.mutants [MODULE ...] [--again]`.

They change one thing after the other in a module, and check that a test notices. `modules.toml` lists the tests of each
module. A MODULE is a part of its path, such as `lease` or `store/`.

A change that no test notices has survived. Either a test is missing, or the change has no effect that matters, and then
`survivors.toml` says why. The table counts both. Survivors without a reason are printed, and make the exit status 1.

mutmut does the work in `.cache/mutants/` and keeps its results there. `--again` tries only the survivors and timeouts
of the last run, which is fast while a test is written. mutmut changes functions without decorators. It does not change
constants and log calls. Processes that the tests start run the module unchanged.
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support.postgres import NAMED, postgres_server

ROOT = Path(__file__).parents[2]
WORK = ROOT / ".cache" / "mutants"
HERE = Path(__file__).parent

PROCESSES = 2
"""Mutants that are tried at once, unless --processes says otherwise."""

MEMORY = 4 * 2**30
"""Bytes that a process may take: a changed loop may never end, and collect something."""

POSTGRES = "postgres"
"""Among the tests of a module: they need PostgreSQL."""

NOT_TESTED = (5, 33)
"""Exit codes of mutmut for a mutant that no test runs."""

TIMED_OUT = (-24, 24, 36, 152, 255)
"""Exit codes of mutmut for a mutant with which the tests did not end."""

_SETTINGS = """
[tool.mutmut]
source_paths = ["tpserver"]
only_mutate = [{module}]
also_copy = ["protocol", "rulesets", "clients", "README.md", "Makefile", "LICENSE"]
pytest_add_cli_args_test_selection = {tests}
pytest_add_cli_args = ["-p", "no:cacheprovider", "-p", "no:xdist", "-p", "tests.mutants.quicker"]
timeout_constant = 6
timeout_multiplier = 4
do_not_mutate_patterns = ["^ *log[.]"]
process_isolation = "forkserver"
use_git_change_detection = false
use_setproctitle = false
"""


@dataclass(frozen=True, slots=True)
class Change:
    """The change of a mutant: the lines of a function before and after, without their indentation."""

    module: str
    function: str
    """As in ``Lease.stop``."""
    was: str
    now: str


@dataclass(slots=True)
class Result:
    """The results of the mutants of a module."""

    module: str
    mutants: int = 0
    """Those that were tried."""
    left: int = 0
    """Those that were not, as the run was ended."""
    killed: int = 0
    timed_out: int = 0
    explained: int = 0
    new: list[Change] = field(default_factory=list)

    @property
    def noticed(self) -> float:
        """The part that the tests noticed, in percent."""
        return 100 * (self.killed + self.timed_out) / max(self.mutants, 1)

    @property
    def explained_or_noticed(self) -> float:
        """The part that the tests noticed, or need not, in percent."""
        return 100 * (self.mutants - len(self.new)) / max(self.mutants, 1)


def modules() -> dict[str, list[str]]:
    """Return which tests hold which module, as paths from the root."""
    table: dict[str, list[str]] = tomllib.loads((HERE / "modules.toml").read_text(encoding="utf-8"))
    return table


class Explained:
    """A mutant that may survive, with the reason in ``survivors.toml``."""

    def __init__(self) -> None:
        stated = tomllib.loads((HERE / "survivors.toml").read_text(encoding="utf-8"))
        everywhere, here = stated.get("everywhere", []), stated.get("survivor", [])
        assert all(one["reason"] for one in (*everywhere, *here))
        self._everywhere = [(re.compile(one["was"]), str(one["now"])) for one in everywhere]
        self.left: Counter[Change] = Counter()
        for one in here:
            self.left[Change(one["module"], one["function"], one["was"], one["now"])] += one.get("times", 1)

    def takes(self, change: Change) -> bool:
        """Return whether there is a reason for this one; one of a single survivor is used up."""
        if self.left[change] > 0:
            self.left[change] -= 1
            return True
        if any(
            (found := was.fullmatch(change.was)) and found.expand(now) == change.now for was, now in self._everywhere
        ):
            return True
        return _is_wording(change)


def _is_wording(change: Change) -> bool:
    """Return whether a sentence has other letters now, capital ones or an XX: tests look for what it says, not how."""
    if not re.search(r"""["'][^"']* [^"']*["']""", change.was):
        return False
    return change.now.replace("XX", "") == change.was or change.now.casefold() == change.was.casefold()


def _prepare(place: Path, module: str, tests: Sequence[str]) -> None:
    """Make a directory in which mutmut finds the tree, and its settings for this module."""
    place.mkdir(parents=True, exist_ok=True)
    for name in ("tpserver", "protocol", "rulesets", "clients", "tests", "README.md", "Makefile", "LICENSE"):
        link = place / name
        if not link.is_symlink():
            link.symlink_to(ROOT / name)
    settings = _SETTINGS.format(module=json.dumps(module), tests=json.dumps(list(tests)))
    (place / "pyproject.toml").write_text((ROOT / "pyproject.toml").read_text(encoding="utf-8") + settings)


def _limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))


def _forget_survivors(place: Path, module: str) -> None:
    """Have mutmut try again what has survived or timed out, with the tests as they are now."""
    path = place / "mutants" / f"{module}.meta"
    meta = json.loads(path.read_text(encoding="utf-8"))
    codes = meta["exit_code_by_key"]
    again = (0, *NOT_TESTED, *TIMED_OUT)
    meta["exit_code_by_key"] = {name: None if code in again else code for name, code in codes.items()}
    path.write_text(json.dumps(meta), encoding="utf-8")
    (place / "mutants" / "mutmut-stats.json").unlink(missing_ok=True)  # which test runs which function
    # mutmut adds tests, and removes none; a run that was ended early may have none yet
    shutil.rmtree(place / "mutants" / "tests", ignore_errors=True)


def run(module: str, tests: Sequence[str], again: bool, processes: int) -> Result:
    """Try the mutants of a module. Raises SystemExit with what mutmut says if its tests fail without any change."""
    place = WORK / module.removesuffix(".py").replace("/", ".")
    if again and (place / "mutants" / f"{module}.meta").exists():
        _forget_survivors(place, module)
    else:
        shutil.rmtree(place, ignore_errors=True)
    with ExitStack() as stack:
        environment = dict(os.environ)
        if POSTGRES in tests:  # one server for all mutants, and then only one at a time may use it
            tests = [one for one in tests if one != POSTGRES]
            environment[NAMED], processes = stack.enter_context(postgres_server()), 1
        _prepare(place, module, tests)
        output = stack.enter_context((place / "output.txt").open("w", encoding="utf-8"))
        command = [str(Path(sys.executable).with_name("mutmut")), "run", "--max-children", str(processes)]
        done = subprocess.run(
            command, cwd=place, env=environment, stdout=output, stderr=output, check=False, preexec_fn=_limit_memory
        )
    if done.returncode:
        said = (place / "output.txt").read_text(encoding="utf-8", errors="replace")
        raise SystemExit(f"{said[-3000:]}\nmutmut could not try {module}; all of that is in {place / 'output.txt'}")
    return evaluate(place, module)


def evaluate(place: Path, module: str) -> Result:
    """Count what the last run left in a directory."""
    codes: Mapping[str, int | None] = json.loads((place / "mutants" / f"{module}.meta").read_text(encoding="utf-8"))[
        "exit_code_by_key"
    ]
    result, may_survive = Result(module), Explained()
    spans: Any = json.loads((place / "mutants" / f"{module}.spans").read_text(encoding="utf-8"))["spans"]
    lines = (place / "mutants" / module).read_text(encoding="utf-8").splitlines()
    for name, code in codes.items():
        if code is None:
            result.left += 1
            continue
        result.mutants += 1
        if code in TIMED_OUT:
            result.timed_out += 1
        elif code != 0 and code not in NOT_TESTED:
            result.killed += 1
        else:
            change = _change(module, name.rpartition(".")[2], spans, lines)
            if may_survive.takes(change):
                result.explained += 1
            else:
                result.new.append(change)
    return result


def _change(module: str, mutant: str, spans: Mapping[str, tuple[int, int]], lines: Sequence[str]) -> Change:
    function = mutant.rpartition("__mutmut_")[0]
    parts = function.split("ǁ")  # xǁClassǁmethod, or x_function
    written = parts[-1] if len(parts) > 1 else function.removeprefix("x_")
    before, after = (
        [line.replace(name, written) for line in lines[spans[name][0] - 1 : spans[name][1]]]
        for name in (f"{function}__mutmut_orig", mutant)
    )
    told = list(difflib.ndiff(before, after))
    was, now = ("\n".join(line[2:].strip() for line in told if line.startswith(sign)) for sign in ("- ", "+ "))
    return Change(module, ".".join(parts[1:]) or written, was, now)


def _show(results: Sequence[Result]) -> None:
    for one in results:
        for change in one.new:
            before, after = (text.replace("\n", "\n  ") for text in (change.was, change.now))
            print(f"{change.module}: {change.function}\n- {before}\n+ {after}\n")
    width = max(len(one.module) for one in results)
    print(f"{'module':{width}}  mutants  killed  timed out  survived  unexplained  noticed  or explained")
    for one in results:
        survived = one.explained + len(one.new)
        print(
            f"{one.module:{width}}  {one.mutants:7}  {one.killed:6}  {one.timed_out:9}  {survived:8}  {len(one.new):11}"
            f"  {one.noticed:5.1f} %  {one.explained_or_noticed:10.1f} %{f'  {one.left} not tried' if one.left else ''}"
        )


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.mutants", description="Change a module, and look which tests notice."
    )
    parser.add_argument("modules", nargs="*", metavar="MODULE", help="a part of a path in modules.toml; none: all")
    parser.add_argument("--again", action="store_true", help="try only what survived or timed out in the last run")
    parser.add_argument("--show", action="store_true", help="try nothing; show the last results")
    parser.add_argument("--processes", type=int, default=min(PROCESSES, os.cpu_count() or 1), metavar="N")
    chosen = parser.parse_args()
    # A shell without job control starts background commands with SIGINT ignored, by which a run is ended.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    table = {
        module: tests
        for module, tests in modules().items()
        if not chosen.modules or any(part in module for part in chosen.modules)
    }
    if not table:
        parser.error(f"none of {', '.join(modules())} is meant")
    results = []
    for module, tests in table.items():
        if chosen.show:
            place = WORK / module.removesuffix(".py").replace("/", ".")
            if (place / "mutants" / f"{module}.meta").exists():
                results.append(evaluate(place, module))
            continue
        if shutil.which("mutmut", path=str(Path(sys.executable).parent)) is None:
            parser.error("mutmut is not installed; make mutants installs it")
        print(f"{module} ...", file=sys.stderr, flush=True)
        results.append(run(module, tests, chosen.again, chosen.processes))
    if results:
        _show(results)
    return int(any(one.new for one in results))


if __name__ == "__main__":
    sys.exit(main())
