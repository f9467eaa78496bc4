"""The queue for password hashing, pauses, and remembered passwords.

Pauses follow wrong passwords. Right ones are remembered.
"""

from __future__ import annotations

import pytest
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock

from tpserver.accounts.login_queue import LoginQueue, NoRoom
from tpserver.accounts.passwords import MISMATCHES, RememberedPasswords
from tpserver.accounts.pauses import FORGOTTEN_AFTER, FREE_ATTEMPTS, LONGEST_PAUSE, Pauses
from tpserver.addresses import network_of
from tpserver.store.people.accounts import Account


class Visitors:
    """Visitors in a queue, by name; ``served`` is the order in which they got their turns."""

    def __init__(self, queue: LoginQueue) -> None:
        self.queue = queue
        self.served: list[str] = []
        self.sent_away: list[str] = []

    def come(self, title: str, network: str, account: str) -> None:
        turn: Deferred[None] = self.queue.turn((network, account))
        turn.addCallbacks(lambda _: self.served.append(title), lambda _: self.sent_away.append(title))

    def serve_all(self) -> list[str]:
        """End one turn after the other, and return the visitors in this order."""
        for done, _ in enumerate(iter(lambda: len(self.served), -1)):
            if done == len(self.served):
                break
            self.queue.done()
        return self.served


def test_networks_have_their_turns_one_after_the_other():
    """However many of one network wait, another one is next."""
    visitors = Visitors(LoginQueue(width=1, per_pair=100))
    for number in range(20):
        visitors.come(f"flood {number}", "192.0.2.1", "ann")
    visitors.come("honest", "192.0.2.2", "ben")
    assert visitors.serve_all()[:3] == ["flood 0", "flood 1", "honest"]
    assert len(visitors.served) == 21
    assert len(visitors.queue) == 0


def test_accounts_of_one_network_have_their_turns_one_after_the_other():
    visitors = Visitors(LoginQueue(width=1, per_pair=100))
    for number in range(20):
        visitors.come(f"flood {number}", "192.0.2.1", "ann")
    visitors.come("honest", "192.0.2.1", "ben")
    assert visitors.serve_all()[:3] == ["flood 0", "flood 1", "honest"]


def test_no_more_turns_than_threads_at_the_same_time():
    visitors = Visitors(LoginQueue(width=2))
    for number in range(5):
        visitors.come(f"{number}", "192.0.2.1", f"name{number}")
    assert visitors.served == ["0", "1"]
    visitors.queue.done()
    assert visitors.served == ["0", "1", "2"]


def test_many_turns_that_end_at_once_need_no_deeper_stack():
    queue = LoginQueue(width=1, waiting=10_000, per_network=10_000, per_pair=10_000)
    queue.turn(("192.0.2.1", "ann"))
    ended: list[int] = []

    def end(_: object, number: int) -> None:
        ended.append(number)
        queue.done()

    for number in range(5000):
        queue.turn(("192.0.2.1", "ann")).addCallback(end, number)
    queue.done()
    assert ended == list(range(5000))


def test_a_pair_has_few_places():
    visitors = Visitors(LoginQueue(width=1, per_pair=2))
    for number in range(3):
        visitors.come(f"{number}", "192.0.2.1", "ann")
    with pytest.raises(NoRoom) as refused:
        visitors.come("3", "192.0.2.1", "ann")
    assert refused.value.seconds >= 1
    visitors.come("another network", "192.0.2.2", "ann")
    assert visitors.serve_all() == ["0", "1", "another network", "2"]


def test_in_a_full_network_the_longest_line_gives_way():
    visitors = Visitors(LoginQueue(width=1, per_network=4, per_pair=4))
    for number in range(5):
        visitors.come(f"flood {number}", "192.0.2.1", "ann")
    visitors.come("honest", "192.0.2.1", "ben")
    assert visitors.sent_away == ["flood 4"]
    assert "honest" in visitors.serve_all()


def test_a_full_network_whose_lines_are_all_short_sends_away():
    visitors = Visitors(LoginQueue(width=1, per_network=4))
    for number in range(5):
        visitors.come(f"flood {number}", "192.0.2.1", f"name{number}")
    with pytest.raises(NoRoom):
        visitors.come("honest", "192.0.2.1", "ben")
    assert len(visitors.queue) == 4


def test_in_a_full_queue_the_largest_network_gives_way():
    visitors = Visitors(LoginQueue(width=1, waiting=4))
    for number in range(5):
        visitors.come(f"flood {number}", "192.0.2.1", f"name{number}")
    visitors.come("honest", "192.0.2.2", "ben")
    assert len(visitors.sent_away) == 1
    assert len(visitors.queue) == 4
    assert visitors.serve_all().index("honest") == 2


def test_the_queue_is_bounded_also_for_many_networks():
    visitors = Visitors(LoginQueue(width=1, waiting=50))
    for number in range(51):
        visitors.come(f"{number}", f"192.0.2.{number}", "ann")
    with pytest.raises(NoRoom):
        visitors.come("one more", "198.51.100.1", "ann")
    assert len(visitors.queue) == 50


# --- pauses -----------------------------------------------------------------------------------------------------------

ANN, BEN, ELSEWHERE = ("192.0.2.1", "ann"), ("192.0.2.1", "ben"), ("192.0.2.2", "ann")


def test_pauses_grow_up_to_a_bound_and_are_of_one_network_and_account():
    clock = Clock()
    pauses = Pauses(clock.seconds)
    told = []
    for _ in range(FREE_ATTEMPTS + 8):
        pauses.add_wrong(ANN)
        told.append(pauses.left(ANN))
        clock.advance(pauses.left(ANN))
        assert pauses.left(ANN) == 0
    assert told == [0, 0, 1, 2, 4, 8, 16, 32, LONGEST_PAUSE, LONGEST_PAUSE, LONGEST_PAUSE]
    pauses.add_wrong(ANN)
    assert pauses.left(BEN) == pauses.left(ELSEWHERE) == 0


def test_pauses_end_with_the_right_password_or_after_a_while():
    clock = Clock()
    pauses = Pauses(clock.seconds)
    for pair in (ANN, BEN):
        for _ in range(FREE_ATTEMPTS):
            pauses.add_wrong(pair)
    pauses.forget(ANN)
    pauses.add_wrong(ANN)
    assert pauses.left(ANN) == 0
    clock.advance(FORGOTTEN_AFTER + 2)
    assert pauses.left(BEN) == 0
    pauses.add_wrong(BEN)
    assert pauses.left(BEN) == 0


def test_pauses_are_bounded():
    pauses = Pauses(Clock().seconds, most=10)
    for number in range(100):
        pauses.add_wrong((f"192.0.2.{number}", "ann"))
    assert len(pauses) == 10


# --- remembered passwords ---------------------------------------------------------------------------------------------


def account(number: int = 1, stored: str = "a hash") -> Account:
    return Account(number, f"name{number}", stored, "", "", 0.0, False)


def test_a_remembered_password_is_of_one_account_as_it_is_stored():
    remembered = RememberedPasswords()
    remembered.keep(account(), "word")
    assert remembered.knows(account(), "word")
    assert not remembered.knows(account(), "other")
    assert not remembered.knows(account(2), "word")
    assert not remembered.knows(account(stored="another hash"), "word")


def test_no_password_and_no_stored_hash_is_kept_as_it_is():
    remembered = RememberedPasswords()
    remembered.keep(account(), "word")
    other = RememberedPasswords()
    other.keep(account(), "word")
    kept = [entry.proof for store in (remembered, other) for entry in store.recent.values()]
    assert len(set(kept)) == 2, "the key is another one in each process"
    assert all(b"word" not in proof and b"a hash" not in proof for proof in kept)


def test_a_remembered_password_is_forgotten_when_somebody_guesses():
    remembered = RememberedPasswords()
    remembered.keep(account(), "word")
    for number in range(MISMATCHES):
        assert not remembered.knows(account(), f"guess {number}")
    assert not remembered.knows(account(), "word")
    assert len(remembered) == 0


def test_remembered_passwords_are_bounded_and_the_last_ones_are_kept():
    remembered = RememberedPasswords(most=3)
    for number in range(5):
        remembered.keep(account(number), "word")
        remembered.knows(account(0), "word")
    assert len(remembered) == 3
    assert remembered.knows(account(0), "word")
    assert not remembered.knows(account(1), "word")


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::1%eth0", "2001:db8:1:2::/64"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("this machine", "this machine"),
        ("", ""),
        ("no:address", "no:address"),
    ],
)
def test_what_counts_as_one_network(address: str, network: str):
    assert network_of(address) == network
