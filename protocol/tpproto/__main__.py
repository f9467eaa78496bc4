"""The command `python -m tpproto`, for captured bytes and generated files.

It shows captured bytes, checks recordings, and rewrites the golden vectors, the page of frames and the methods of the
clients.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from tpproto.tools import client_methods
from tpproto.tools.comments import read_schema
from tpproto.tools.dump import dump
from tpproto.tools.frames_page import page
from tpproto.tools.roundtrip import roundtrip, table
from tpproto.tools.transcript import DIALECTS, InputError
from tpproto.tools.vectors import FILES, differences, write


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tpproto", description="Look into frames of the game protocol: TP03, TP04 and Protocol Buffers."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    show = commands.add_parser(
        "dump",
        help="print one readable JSON line a frame",
        description="Print one readable JSON line for each frame of a recording in JSON lines, of lines of hexadecimal "
        "digits, or of the raw bytes of a stream. Descriptions are learnt on the way. A frame that cannot be read "
        "becomes a line with an error.",
    )
    show.add_argument(
        "--dialect", choices=sorted(DIALECTS), help="what is spoken, where the bytes do not say so (default: they do)"
    )
    show.add_argument("file", nargs="?", default="-", metavar="FILE", help="the input, .gz too; - or nothing: stdin")
    check = commands.add_parser(
        "roundtrip",
        help="decode, encode and compare recorded frames",
        description="Decode and encode every frame of recordings and compare. The exit status is 1 if a frame cannot "
        "be decoded or comes out different without a listed reason.",
    )
    check.add_argument("files", nargs="+", metavar="FILE", help="a recording in JSON lines, .gz too")
    golden = commands.add_parser(
        "vectors",
        help="rewrite the golden vectors",
        description=f"Rewrite {', '.join(FILES)} in a directory, after a deliberate change of the protocol.",
    )
    golden.add_argument("--check", action="store_true", help="change nothing; exit status 1 if a file would change")
    golden.add_argument("directory", metavar="DIRECTORY", help="where the vectors are")
    frames = commands.add_parser(
        "frames",
        help="write the page of all frames",
        description="Write the page that describes every frame, protocol/FRAMES.md, in Markdown. It has the comments "
        "of tp.proto, so this works in the source tree only.",
    )
    frames.add_argument("file", nargs="?", default="-", metavar="FILE", help="the page; - or nothing: stdout")
    methods = commands.add_parser(
        "methods",
        help="write the methods of the clients for single requests",
        description="Write the methods of the clients for single requests, in Python (.py) or JavaScript (.js). Their "
        "texts are the comments of tp.proto, so this works in the source tree only.",
    )
    methods.add_argument(
        "files", nargs="+", type=Path, metavar="FILE", help="clients/tpclient/requests.py, for example"
    )
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit status: 0 good, 1 something differs, 2 a wrong command line or input."""
    given = _arguments().parse_args(arguments)
    try:
        if given.command == "dump":
            for line in dump(given.file, DIALECTS.get(given.dialect)):
                print(line)
            return 0
        if given.command == "roundtrip":
            tally = roundtrip(given.files)
            print(table(tally))
            if not tally.outcomes:
                print("there is not one frame in the input", file=sys.stderr)
            return 0 if tally.good else 1
        if given.command == "frames":
            return _frames(given.file)
        if given.command == "methods":
            return _methods(given.files)
        return _vectors(given.directory, given.check)
    except InputError as problem:
        print(f"python -m tpproto: {problem}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # The reader has closed the pipe. Buffered output must not cause an error at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130


def _vectors(name: str, check: bool) -> int:
    directory = Path(name)
    if not directory.is_dir():
        raise InputError(f"{name} is not a directory.")
    try:
        changed = differences(directory)
        if not check:
            write(directory)
    except OSError as problem:
        raise InputError(f"{name} cannot be used: {problem.strerror}.") from None
    for file in changed:
        print(f"{file}: {'differs' if check else 'written'}")
    return 1 if check and changed else 0


def _frames(name: str) -> int:
    text = page(read_schema())
    if name == "-":
        print(text, end="")
        return 0
    try:
        Path(name).write_text(text, "utf-8")
    except OSError as problem:
        raise InputError(f"{name} cannot be written: {problem.strerror}.") from None
    return 0


def _methods(files: Sequence[Path]) -> int:
    comments = read_schema()
    for path in files:
        try:
            client_methods.write(path, comments)
        except OSError as problem:
            raise InputError(f"{path} cannot be written: {problem.strerror}.") from None
    return 0


if __name__ == "__main__":
    sys.exit(main())
