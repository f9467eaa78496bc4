"""Logins: cost of hashing, waiting times, and refusals."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from argon2 import PasswordHasher
from argon2.exceptions import VerificationError
from twisted.internet.defer import Deferred, maybeDeferred

from tests.support.server_in_memory import Server, Waiting, result_of
from tpserver.accounts.accounts import Accounts
from tpserver.accounts.login_queue import WAITING_PER_PAIR, WIDTH
from tpserver.accounts.passwords import MISMATCHES, Passwords
from tpserver.accounts.pauses import FREE_ATTEMPTS
from tpserver.store.people import accounts as stored_accounts

TEMPORARILY, DENIED = 3, 5
HERE, THERE = "192.0.2.1", "192.0.2.2"


class CountingHasher(PasswordHasher):
    """Counts what is expensive, and does it as cheaply as possible."""

    def __init__(self, memory_cost: int = 8) -> None:
        super().__init__(time_cost=1, memory_cost=memory_cost, parallelism=1)
        self.hashed = self.verified = 0
        self.has_memory = True

    def hash(self, *args: Any, **keywords: Any) -> str:
        self.hashed += 1
        return super().hash(*args, **keywords)

    def verify(self, *args: Any, **keywords: Any) -> Any:
        self.verified += 1
        if not self.has_memory:
            raise VerificationError("Memory allocation error")
        return super().verify(*args, **keywords)


class Threads:
    """Threads that hash when the test says so."""

    def __init__(self) -> None:
        self.waiting: list[tuple[Callable[[], Any], Deferred[Any]]] = []
        self.at_once = True

    def __call__(self, work: Callable[[], Any]) -> Deferred[Any]:
        if self.at_once:
            return maybeDeferred(work)
        done: Deferred[Any] = Deferred()
        self.waiting.append((work, done))
        return done

    def work(self, number: int = 1) -> None:
        """Finish so much of the work."""
        for _ in range(number):
            work, done = self.waiting.pop(0)
            maybeDeferred(work).chainDeferred(done)


class Place:
    """A server whose hashing is counted, with the accounts ann and ben; their passwords are not remembered."""

    def __init__(self, server: Server, hasher: CountingHasher | None = None) -> None:
        self.server = server
        self.hasher = hasher or CountingHasher()
        self.threads = Threads()
        for name in ("ann", "ben"):
            result_of(server.accounts.add(name, "word"))
        self.restart()

    def restart(self) -> None:
        """Forget all that is not in the store."""
        self.accounts = Accounts(
            self.server.store,
            "register",
            self.threads,
            self.server.clock.seconds,
            self.hasher,
            seconds=self.server.clock.seconds,
        )
        self.server.accounts = self.server.host.accounts = self.accounts

    def login(self, name: str, word: str = "word", address: str = HERE) -> Waiting:
        return self.server.connect(address=address).post("login", username=name, password=word)

    def stored(self, name: str) -> str:
        account = self.server.store.read(lambda connection: stored_accounts.by_name(connection, name))
        return str(account.password_hash)


@pytest.fixture
def place(server: Server) -> Iterator[Place]:
    """At the end nothing is left to be hashed."""
    made = Place(server)
    yield made
    while made.threads.waiting:
        made.threads.work()


# --- what a login costs -----------------------------------------------------------------------------------------------


def test_new_hashes_have_the_parameters_of_owasp():
    """Argon2id with 19 MiB, two iterations and one lane, also for a name that nobody has."""
    passwords = Passwords()
    parameters = "$argon2id$v=19$m=19456,t=2,p=1$"
    stored = passwords.hash("word")
    assert stored.startswith(parameters) and passwords.nobody.startswith(parameters)
    assert len(stored) == len(passwords.nobody)
    assert passwords.fits(stored, "word") and not passwords.fits(stored, "other")
    assert not passwords.fits(passwords.nobody, "")
    assert not passwords.is_outdated(passwords.nobody)


def test_a_password_is_hashed_once_while_the_server_runs(place: Place):
    for _ in range(20):
        assert place.login("ann").reply.name == "okay"
        assert place.login("ANN", address=THERE).reply.name == "okay"
    assert place.hasher.verified == 1
    place.restart()
    assert place.login("ann").reply.name == "okay"
    assert place.hasher.verified == 2


def test_a_new_account_comes_in_without_hashing_again(place: Place):
    client = place.server.connect()
    assert client.ask("create_account", username="cem", password="word").name == "okay"
    assert client.ask("login", username="cem", password="word").name == "okay"
    assert (place.hasher.hashed, place.hasher.verified) == (1, 0)


def test_a_wrong_password_and_an_unknown_name_cost_the_same(place: Place):
    """Also when the account's password is remembered."""
    assert place.login("ann").reply.name == "okay"
    before = place.hasher.verified
    wrong = place.login("ann", "guess").reply
    assert place.hasher.verified == before + 1
    unknown = place.login("nobody", "guess").reply
    assert place.hasher.verified == before + 2
    assert place.hasher.hashed == 0
    assert wrong.code == unknown.code == DENIED
    assert wrong.text == unknown.text


def test_a_changed_password_is_no_longer_remembered(place: Place):
    assert place.login("ann").reply.name == "okay"
    before, fresh = place.stored("ann"), place.hasher.hash("new word")
    place.server.store.write(lambda connection: stored_accounts.replace_hash(connection, 1, before, fresh))
    assert place.login("ann").reply.code == DENIED
    assert place.login("ann", "new word").reply.name == "okay"


def test_an_old_hash_is_replaced_at_login_and_durably(make_server: Callable[..., Server]):
    server = make_server(delayed=True, policy="register")
    place = Place(server, CountingHasher(memory_cost=16))
    old = place.stored("ann")
    assert "m=8," in old
    server.disk.at_once = False
    waiting = place.login("ann")
    assert not waiting.came
    server.disk.commit()
    assert waiting.reply.name == "okay"
    assert "m=16," in place.stored("ann")
    place.restart()
    assert place.login("ann").reply.name == "okay"
    assert place.hasher.hashed == 1


def test_an_upgrade_never_brings_back_an_old_password(make_server: Callable[..., Server]):
    """The password is changed while the old one is being hashed with new parameters."""
    place = Place(make_server(), CountingHasher(memory_cost=16))
    place.threads.at_once = False
    waiting = place.login("ann")
    place.threads.work()  # verified; hashed anew next
    before, changed = place.stored("ann"), place.hasher.hash("new word")
    place.server.store.write(lambda connection: stored_accounts.replace_hash(connection, 1, before, changed))
    place.threads.work()
    assert waiting.came
    assert place.stored("ann") == changed


def test_without_memory_a_right_password_is_not_wrong(place: Place):
    """And it does not count as a wrong one."""
    place.hasher.has_memory = False
    for _ in range(FREE_ATTEMPTS + 1):
        answer = place.login("ann").reply
        assert answer.code == TEMPORARILY
        assert "try again in" in answer.text and "memory" in answer.text
    place.hasher.has_memory = True
    assert place.login("ann").reply.name == "okay"


# --- who waits for whom -----------------------------------------------------------------------------------------------


def test_a_flood_of_wrong_passwords_does_not_keep_others_waiting(place: Place):
    """However many connections of one address guess, an honest login of another address is next."""
    place.threads.at_once = False
    guesses = [place.login(f"name{number}", "guess") for number in range(200)]
    honest = place.login("ann", address=THERE)
    place.threads.work(WIDTH + 2)
    assert honest.reply.name == "okay"
    assert sum(guess.came for guess in guesses) <= WIDTH + 2


def test_a_flood_for_one_account_does_not_keep_another_one_of_the_address_waiting(place: Place):
    place.threads.at_once = False
    guesses = [place.login("ann", "guess") for _ in range(200)]
    honest = place.login("ben")
    place.threads.work(WIDTH + 2)
    assert honest.reply.name == "okay"
    told = [guess.reply for guess in guesses if guess.came]
    assert len(told) >= 200 - WIDTH - WAITING_PER_PAIR
    assert {answer.code for answer in told} <= {TEMPORARILY, DENIED}


def test_whoever_guesses_must_pause_and_keeps_nobody_else_out(place: Place):
    """Neither the account's owner at another address nor another account at the same one."""
    client = place.server.connect()
    for _ in range(FREE_ATTEMPTS):
        assert client.ask("login", username="ann", password="guess").code == DENIED
    before = place.hasher.verified
    refused = client.ask("login", username="ann", password="word")
    assert refused.code == TEMPORARILY
    assert "try again in 1 second." in refused.text
    assert place.hasher.verified == before
    assert not client.session.closing
    assert place.login("ann", address=THERE).reply.name == "okay"
    assert place.login("ben").reply.name == "okay"
    place.server.pass_time(1)
    assert client.ask("login", username="ann", password="word").name == "okay"


def test_a_remembered_password_cannot_be_guessed_during_a_pause(place: Place):
    """To compare with it costs nothing, and so must not be tried as often as one likes."""
    assert place.login("ann", address=THERE).reply.name == "okay"
    for _ in range(FREE_ATTEMPTS):
        place.login("ann", "guess")
    assert place.login("ann").reply.code == TEMPORARILY
    assert place.login("ann", address=THERE).reply.name == "okay"


def test_wrong_passwords_of_a_network_do_not_pause_a_right_one_that_is_remembered_there(place: Place):
    """A program with an old password may repeat it forever. An attacker who guesses has a few different tries."""
    assert place.login("ann").reply.name == "okay"
    for _ in range(FREE_ATTEMPTS + 3 * MISMATCHES):
        place.login("ann", "an old one")
    before = place.hasher.verified
    assert place.login("ann").reply.name == "okay"
    assert place.login("ann", "an old one").reply.code == TEMPORARILY
    assert place.hasher.verified == before
    for number in range(MISMATCHES):
        assert place.login("ann", f"guess {number}").reply.code == TEMPORARILY
    assert place.login("ann").reply.code == TEMPORARILY, "it is forgotten, so it would have to be hashed"
    assert place.login("ann", address=THERE).reply.name == "okay"


COMPOSED, TYPED = "caf\u00e9 \u00fc", "cafe\u0301\u3000u\u0308"
"""A password as RFC 8265 has it, and as another keyboard may send it."""


def test_a_password_is_the_same_from_every_keyboard(place: Place):
    """By RFC 8265 (OpaqueString), for new accounts and for new passwords. Another character is another password."""
    result_of(place.accounts.add("cem", TYPED))
    result_of(place.accounts.set_password(place.accounts.named("ben"), COMPOSED))
    for name, words in (("cem", (COMPOSED, TYPED)), ("ben", (TYPED, COMPOSED))):
        for word in words:
            place.restart()
            assert place.login(name, word).reply.name == "okay"
            assert place.login(name, words[1]).reply.name == "okay", "it is remembered in every form"
        assert place.login(name, "CAF\u00c9 \u00fc", THERE).reply.code == DENIED


@pytest.mark.parametrize("word", [TYPED, "tab\tand \u00e9", "\U000e0001\u00e9"])
def test_an_old_hash_of_what_was_typed_still_lets_in(place: Place, word: str):
    """Also one of a password that RFC 8265 does not allow."""
    raw = place.hasher.hash(word)
    place.server.store.write(lambda c: stored_accounts.add(c, "old", raw, now=1.0))
    assert place.login("old", word).reply.name == "okay"
    assert place.login("old", word).reply.name == "okay"
    assert place.login("old", f"{word}x", THERE).reply.code == DENIED


def test_the_number_of_hashes_depends_on_what_was_typed_alone(place: Place):
    """Not on whether it is right, in which form it is stored, or whether there is such an account; two are the most."""
    raw = CountingHasher(16).hash(TYPED)  # with other parameters, which would make a third
    place.server.store.write(lambda c: stored_accounts.add(c, "old", raw, now=1.0))
    result_of(place.accounts.set_password(place.accounts.named("ben"), COMPOSED))
    place.restart()
    for word, most in ((TYPED, 2), (COMPOSED, 1), ("plain", 1)):
        spent = set()
        for number, name in enumerate(("ann", "ben", "old", "nobody")):
            before = place.hasher.verified + place.hasher.hashed
            place.login(name, word, f"198.51.100.{number}").reply  # noqa: B018 # it is waited for
            spent.add(place.hasher.verified + place.hasher.hashed - before)
        assert spent == {most}
        place.restart()


def test_guesses_at_the_same_time_wait_for_the_pause_too(place: Place):
    place.threads.at_once = False
    guesses = [place.login("ann", "guess") for _ in range(WIDTH + WAITING_PER_PAIR)]
    while place.threads.waiting:
        place.threads.work()
    assert all(guess.came for guess in guesses)
    assert place.hasher.verified <= FREE_ATTEMPTS + WIDTH - 1


def test_several_connections_of_a_player_come_back_with_one_hash(place: Place):
    place.threads.at_once = False
    logins = [place.login("ann") for _ in range(WIDTH + WAITING_PER_PAIR)]
    while place.threads.waiting:
        place.threads.work()
    assert [login.reply.name for login in logins] == ["okay"] * len(logins)
    assert place.hasher.verified <= WIDTH


def test_nothing_is_hashed_for_whoever_has_hung_up(place: Place):
    place.threads.at_once = False
    clients = [place.server.connect() for _ in range(20)]
    for number, client in enumerate(clients):
        client.post("login", username=f"name{number}", password="guess")
        client.hang_up()
    while place.threads.waiting:
        place.threads.work()
    assert place.hasher.verified == WIDTH


def test_new_accounts_wait_in_the_same_queue(place: Place):
    """An address that creates accounts delays no other address. It is refused when there is no room."""
    place.threads.at_once = False
    makers = [
        place.server.connect().post("create_account", username=f"name{number}", password="word")
        for number in range(400)
    ]
    told = [maker.reply for maker in makers if maker.came]
    assert told
    assert {answer.code for answer in told} == {TEMPORARILY}
    assert all("try again in" in answer.text for answer in told)
    honest = place.login("ann", address=THERE)
    place.threads.work(WIDTH + 2)
    assert honest.reply.name == "okay"


def test_a_taken_name_is_refused_without_hashing(place: Place):
    refused = place.server.connect().ask("create_account", username="Ann", password="word")
    assert refused.code == DENIED
    assert place.hasher.hashed == 0


def test_a_long_name_or_password_is_wrong_without_hashing(place: Place):
    assert place.login("a" * 2_000).reply.code == DENIED
    assert place.login("ann", "x" * 2_000).reply.code == DENIED
    assert place.hasher.verified == 0
