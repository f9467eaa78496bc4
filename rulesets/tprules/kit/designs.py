"""TPCL functions for a catalog of designs.

With them, clients check designs, and describe the parts of a piece.
"""

from __future__ import annotations

from collections.abc import Iterable


def alone(why: str) -> str:
    """Return the requirements of a component that must be alone in a design.

    ``why`` is shown if it is not alone.
    """
    return f'(lambda (design) (if (= (designType._num-components design) 1) (cons #t "") (cons #f "{why}")))'


def constant(value: int) -> str:
    """Return the contribution of a component to a property, if it is always the same."""
    return f"(lambda (design) {value})"


def named(names: Iterable[tuple[int, str]]) -> str:
    """Return the function of a property with named values, given as (value, name). Other values are "None"."""
    cases = " ".join(f'((= n {value}) "{name}")' for value, name in names)
    return f'(lambda (design bits) (let ((n (apply + bits))) (cons n (cond {cases} (else "None")))))'


def counted(unit: str) -> str:
    """Return the function of a property that is shown as a number of units."""
    return f'(lambda (design bits) (let ((n (apply + bits))) (cons n (string-append (number->string n) " {unit}"))))'
