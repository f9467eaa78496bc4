"""Banned idioms in the project: `python -m tests.prose`.

    python -m tests.prose [--list | --pages | --write] [ROOT]

Without an option it prints the number of places by kind and idiom. `--list` prints the places, `--pages` the words and
the longest sentence of each Markdown file. `--write` removes from `allowlist.txt` what is gone, and adds nothing. The
exit status is 1 if a place is not in the list.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

from tests.prose.places import ROOT, differences, lowered, page_sizes, places, read_allowlist, write_allowlist


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.prose", description="Find idioms that the style guide bans.")
    parser.add_argument("root", nargs="?", type=Path, default=ROOT, metavar="ROOT", help="another tree of the project")
    work = parser.add_mutually_exclusive_group()
    work.add_argument("--list", action="store_true", help="print the places, by kind and file")
    work.add_argument("--pages", action="store_true", help="print the words and the longest sentence of Markdown files")
    work.add_argument("--write", action="store_true", help="remove from allowlist.txt what is gone")
    options = parser.parse_args()
    if options.write and options.root != ROOT:
        parser.error("--write works on this tree only")
    if options.pages:
        print(
            "words longest file",
            *(f"{words:5} {most:7} {file}" for file, words, most in page_sizes(options.root)),
            sep="\n",
        )
        return 0
    found = list(places(options.root))
    if options.write:
        allowed = lowered(read_allowlist(), found)
        write_allowlist(allowed)
        problems = differences(allowed, found)
        print(*problems, f"{allowed.total()} places are left.", sep="\n")
        return bool(problems)
    if options.list:
        print(*sorted(found, key=lambda place: place.kind), sep="\n")
    else:
        for title, counts in (
            ("kind", Counter(place.kind for place in found)),
            ("idiom", Counter(place.idiom for place in found)),
        ):
            print(f"By {title}:", *(f"{count:6} {name}" for name, count in counts.most_common()), sep="\n")
        print(f"{len(found):6} in all")
    return 0


if __name__ == "__main__":
    sys.exit(main())
