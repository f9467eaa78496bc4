"""The lock file: agrees with pyproject.toml, has hashes, names no index."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[2]
LOCK = (ROOT / "tpserver" / "requirements.lock").read_text()
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
EXTRAS = ("postgres", "metrics", "terminal", "websocket")
"""Extras that the image and `make play` need."""

ENTRY = re.compile(r"^(\S+)==(\S+)(?: ; (.+?))? \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", re.MULTILINE)


def versions() -> dict[str, list[Version]]:
    found: dict[str, list[Version]] = {}
    for name, version, _, _ in ENTRY.findall(LOCK):
        found.setdefault(canonicalize_name(name), []).append(Version(version))
    return found


def wanted() -> list[str]:
    project = PROJECT["project"]
    more = [line for extra in EXTRAS for line in project["optional-dependencies"][extra]]
    return [*project["dependencies"], *more, *PROJECT["build-system"]["requires"]]


@pytest.mark.parametrize("line", wanted())
def test_what_the_project_needs_is_locked_in_a_version_that_it_takes(line: str) -> None:
    """A developer who raises a bound in pyproject.toml runs `make lock`."""
    requirement = Requirement(line)
    locked = versions().get(canonicalize_name(requirement.name))
    assert locked, f"{requirement.name} is missing: make lock"
    assert all(requirement.specifier.contains(version) for version in locked), locked


def test_the_lock_has_hashes_and_names_no_place() -> None:
    """Nothing but comments, versions and hashes: no index, no link, no file."""
    left = ENTRY.sub("", LOCK)
    assert all(line.startswith("#") for line in left.splitlines()), left
    assert not re.search(r"https?:|//|--index|--find-links|--extra", LOCK)
    assert len(versions()) > 40


def test_the_image_and_play_install_by_it() -> None:
    """First what is locked, with hashes, then the project itself and nothing else."""
    makefile, image = ((ROOT / name).read_text() for name in ("Makefile", "tpserver/Containerfile"))
    for text in (makefile, image):
        first, second = text.index("--require-hashes"), text.index("--no-deps --no-build-isolation")
        assert first < second
