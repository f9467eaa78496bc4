"""Fuzzing with libFuzzer: `python -m tests.fuzzing TARGET`.

    python -m tests.fuzzing TARGET [--seconds N] [--keep]

Without a target it lists the targets. libFuzzer makes the inputs. With atheris it sees the code that each input
reaches. `--keep` keeps the inputs that reach new code: it writes the archive of the target again, with the fewest
inputs that reach as much.

An input that shows a fault is written into `.cache/fuzzing`. `--try FILE` tries it alone. Once the fault is fixed,
`--add FILE --name NAME` puts it into the archive. `make test` tries all entries of the archives.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.fuzzing import corpora
from tests.fuzzing.targets import MODULES, find

MISSING = (
    "Fuzzing needs atheris, which is not installed. Get it with: .venv/bin/python -m pip install --editable '.[fuzz]'"
)
SECONDS = 60
MEMORY = 1024
"""Megabytes above which the whole run is ended: something grows from input to input."""

STUCK = 60
"""Seconds after which one input is believed never to end; a machine may stand for a while."""

FAULTS = Path(".cache", "fuzzing")
"""Where inputs are written that show a fault."""

PROGRESS = ("#", "INFO: ", "stat::")
"""Beginnings of libFuzzer's lines that are not about a fault."""

LONGEST_REPORT = 6000


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzzing", description="Fuzz a part of the server.")
    parser.add_argument("target", nargs="?", choices=sorted(MODULES))
    parser.add_argument("--seconds", type=int, default=SECONDS, help=f"how long (default: {SECONDS})")
    parser.add_argument("--keep", action="store_true", help="put what reaches new code into the archive")
    parser.add_argument("--seed", type=int, default=0, help="of the mutations (default: 0, any)")
    parser.add_argument("--try", dest="tried", type=Path, metavar="FILE", help="try one input, without atheris")
    parser.add_argument("--add", type=Path, metavar="FILE", help="put an input that was a fault into the archive")
    parser.add_argument("--name", default="", help="its name: some words with dashes between them")
    given = parser.parse_args()
    if given.target is None:
        for name in MODULES:
            print(f"{name:14} {find(name).what}")
        return 0
    if given.tried is not None:
        return try_one(given.target, given.tried)
    if given.add is not None:
        try:
            corpora.add(given.target, given.name, given.add.read_bytes())
        except ValueError as error:
            print(f"{error}.", file=sys.stderr)
            return 2
        return 0
    if subprocess.run([sys.executable, "-c", "import atheris"], capture_output=True, check=False).returncode:
        print(MISSING, file=sys.stderr)
        return 2
    return run(given.target, given.seconds, given.seed, keep=given.keep)


def try_one(name: str, path: Path) -> int:
    """Try one input. A fault is raised and printed by Python."""
    from tests.fuzzing.target import trial

    with trial(find(name)) as tried:
        tried(path.read_bytes())
    print("Nothing is wrong with this input.")
    return 0


def run(name: str, seconds: int, seed: int, *, keep: bool) -> int:
    """Fuzz a target, say what came of it, and return 0, or 1 if there is a fault."""
    target, known = find(name), corpora.read(name)
    from tests.fuzzing.worlds import memory  # found with the targets

    with TemporaryDirectory(prefix="fuzzing-", dir=memory()) as folder:
        corpus, least, words = Path(folder, "corpus"), Path(folder, "least"), Path(folder, "words")
        corpus.mkdir()
        least.mkdir()
        for data in (*target.seeds(), *known.values()):
            Path(corpus, corpora.name_of(data)).write_bytes(data)
        begun = {path.name for path in corpus.iterdir()}
        words.write_text("".join(f'"{"".join(f"{chr(92)}x{byte:02x}" for byte in word)}"\n' for word in target.words))
        options = [f"-max_len={target.longest}", f"-rss_limit_mb={MEMORY}", f"-timeout={STUCK}", f"-seed={seed}"]
        options += [f"-artifact_prefix={FAULTS}/{name}-"] + ([f"-dict={words}"] if target.words else [])
        FAULTS.mkdir(parents=True, exist_ok=True)
        print(f"{name}: {target.what}; {len(begun)} inputs to begin with, {seconds} seconds", flush=True)
        code, said = child(name, folder, [*options, f"-max_total_time={seconds}", "-print_final_stats=1", str(corpus)])
        figures = dict(re.findall(r"^stat::(\w+): +(\d+)", said, re.MULTILINE))
        reached = re.findall(r"cov: (\d+) ft: (\d+)", said)
        new = len(list(corpus.iterdir())) - len(begun)
        print(
            f"{name}: {figures.get('number_of_executed_units', '?')} executions, "
            f"{figures.get('average_exec_per_sec', '?')} a second, {new} new entries, "
            f"{reached[-1][0] if reached else '?'} branches reached, {figures.get('peak_rss_mb', '?')} MB"
        )
        if code:
            print("\n".join(line for line in said.splitlines() if not line.startswith(PROGRESS))[-LONGEST_REPORT:])
            print(f"{name}: this is a fault; the input is in the file that is named above")
        if keep:
            child(name, folder, [*options, "-set_cover_merge=1", str(least), str(corpus)])
            from tests.fuzzing.target import some

            seeds = set(target.seeds())
            found = some((data for path in least.iterdir() if (data := path.read_bytes()) not in seeds), target.few)
            faults = {entry: data for entry, data in known.items() if corpora.is_fault(entry)}
            corpora.write(name, {**{corpora.name_of(data): data for data in found}, **faults})
            print(f"{name}: {len(corpora.read(name))} entries kept in {corpora.archive(name).stat().st_size} bytes")
    return 1 if code else 0


def child(name: str, folder: str, options: list[str]) -> tuple[int, str]:
    """Run libFuzzer in a process of its own, which it ends as it likes; return the exit code and what it said."""
    command = [sys.executable, "-m", "tests.fuzzing.inside", name, *options]
    # libFuzzer ends without that Python tidies up: what it leaves lies in our folder.
    done = subprocess.run(command, capture_output=True, check=False, env={**os.environ, "TMPDIR": folder})
    return done.returncode, (done.stdout + done.stderr).decode(errors="replace")


if __name__ == "__main__":
    sys.exit(main())
