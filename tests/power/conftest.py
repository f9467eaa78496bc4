"""Fixtures: a FUSE mount for all tests of a process.

Without FUSE the tests are skipped, with the reason.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.power.mounted import Disks, mounted, need_fuse


@pytest.fixture(scope="session")
def mount() -> Iterator[Disks]:
    need_fuse()
    with mounted() as made:
        yield made


@pytest.fixture
def disks(mount: Disks) -> Iterator[Disks]:
    """The mount, with no disks but those that a test makes."""
    with mount.again() as of_test:
        yield of_test
