"""The source text of a function generated for one layout, and the objects that it refers to."""

from typing import Any


class Source:
    """Source text under construction, with the objects that it refers to."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.lines: list[str] = []
        self.depth = 2
        self.names: dict[str, Any] = {}
        self.serial = 0

    def emit(self, line: str) -> None:
        self.lines.append("    " * self.depth + line)

    def fresh(self, letter: str) -> str:
        self.serial += 1
        return f"{letter}{self.serial}"

    def constant(self, letter: str, value: object) -> str:
        name = self.fresh(letter)
        self.names[name] = value
        return name

    def compile(self, function: str) -> Any:
        code = compile("\n".join(self.lines) + "\n", f"<generated {function} of {self.name}>", "exec")
        exec(code, self.names)
        return self.names[function]
