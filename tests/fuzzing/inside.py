"""The libFuzzer process, which `tests.fuzzing` starts.

Its command is `python -m tests.fuzzing.inside TARGET OPTION ...`. It must not import any module of the server before
atheris knows what to count.
"""

from __future__ import annotations

import sys

import atheris  # type: ignore[import-untyped, import-not-found] # an extra that few install

COUNTED = ("tpproto", "tpserver", "tprules", "autobahn.websocket", "twisted.web.http", "twisted.protocols.basic")
"""The packages whose branches count as code that is reached."""


def main(name: str, options: list[str]) -> None:
    """Fuzz a target with libFuzzer's options; libFuzzer ends the process."""
    with atheris.instrument_imports(include=list(COUNTED)):
        from tests.fuzzing.target import Trial
        from tests.fuzzing.targets import find
        from tpproto.codegen.layout import FunctionWriter

        target = find(name)

    compiled = FunctionWriter.compile

    def compile_counted(self: FunctionWriter, function: str) -> object:
        return atheris.instrument_func(compiled(self, function))

    # The functions that read and write bodies are compiled when they are needed.
    FunctionWriter.compile = compile_counted  # type: ignore[method-assign]
    itself = f"{sys.executable} -m tests.fuzzing.inside {name}"  # libFuzzer has a shell start it again, as it merges
    atheris.Setup([itself, *options], Trial(target))
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
