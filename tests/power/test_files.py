"""Files beside the server's database: complete before they are relied on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from twisted.internet.defer import Deferred
from twisted.internet.testing import MemoryReactorClock

from tests.power.cuts import in_memory
from tests.power.mounted import Disks
from tests.support.played import played
from tpserver.cli import main
from tpserver.games.core import crash_record
from tpserver.games.core.crash_record import Verdict
from tpserver.metaserver.service import Metaserver
from tpserver.notices.push import ServerKey
from tpserver.publishing.publisher import read_secret


def left(disks: Disks, name: str, keeps: str, look: Callable[[Path], object]) -> object:
    """Cut the power, and return what a look at the disk shows then."""
    disks.cut(name, f"{name} after {keeps}", keeps=keeps)
    with in_memory() as place:
        disks.put_into(f"{name} after {keeps}", place)
        return look(place)


@pytest.mark.parametrize("keeps", ["nothing", "names"])
def test_the_key_by_which_a_metaserver_knows_the_server_is_the_same_after_a_cut(disks: Disks, keeps: str) -> None:
    """Else the names of its games would be somebody else's for a while."""
    secret = read_secret(disks.make("a"))
    assert left(disks, "a", keeps, read_secret) == secret


@pytest.mark.parametrize("keeps", ["nothing", "names"])
def test_the_key_for_which_browsers_have_agreed_to_push_is_the_same_after_a_cut(disks: Disks, keeps: str) -> None:
    public = ServerKey(disks.make("a") / "push.pem").public
    assert left(disks, "a", keeps, lambda place: ServerKey(place / "push.pem").public) == public


@pytest.mark.parametrize("keeps", ["nothing", "names"])
def test_what_rules_have_done_to_a_server_is_remembered_after_a_cut(disks: Disks, keeps: str) -> None:
    """The first verdict, and one that replaces the record."""
    place = disks.make("a")
    for game in (1, 2):
        crash_record.read(place).add(Verdict(game, "auction", "its rules froze the server"))
    assert left(disks, "a", keeps, lambda found: crash_record.read(found).ends) == {1: 1, 2: 1}


@pytest.mark.parametrize("keeps", ["nothing", "names"])
def test_a_metaserver_starts_after_a_cut_with_the_list_that_it_kept(disks: Disks, keeps: str) -> None:
    """An empty file is none that it can read, and it would not start until somebody has moved that away."""

    def begin(file: Path) -> None:
        """Start one; it writes its list at once, so as to know that it can."""
        started: list[object] = []
        metaserver = Metaserver(MemoryReactorClock(), file)  # type: ignore[no-untyped-call]
        Deferred.fromCoroutine(metaserver.start("127.0.0.1", 8090)).addBoth(started.append)
        assert started == [None], started

    begin(disks.make("a") / "list.json")

    def again(place: Path) -> bool:
        assert (place / "list.json").read_text() == "[]"
        begin(place / "list.json")
        return True

    assert left(disks, "a", keeps, again)


def test_a_game_is_not_deleted_before_a_file_that_was_there_is_on_the_disk(disks: Disks) -> None:
    """Somebody has put it there, or an attempt that was killed has: nobody has waited for the disk."""
    with in_memory() as before:
        played(before / "data", turns=2)
        data = ["--data", str(before / "data")]
        assert main(["game", "abort", "lots", "--reason", "nobody plays", *data]) == 0
        assert main(["archive", "--over-for", "0d", str(before / "old"), *data]) == 0
        (file,) = (before / "old").glob("*.tpgame")
        content = file.read_bytes()
        file.unlink()
        place = disks.make("a", source=before)
    (place / "old" / file.name).write_bytes(content)
    words = ["archive", "--over-for", "0d", "--delete", str(place / "old"), "--data", str(place / "data")]
    assert main(words) == 0
    assert left(disks, "a", "nothing", lambda found: (found / "old" / file.name).read_bytes()) == content
