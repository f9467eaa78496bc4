"""Methods for requests that are one question and its answer.

`make proto` writes this module from tp.proto.
"""

from abc import ABC, abstractmethod

from google.protobuf.message import Message

from tpclient.session import M
from tpproto import tp_pb2


class Requests(ABC):
    """The requests of the protocol as methods.

    Arguments are the fields of the request, which protocol/FRAMES.md explains; `number` is the field `id`. Raises what
    `Connection` says, and BadArgument if the dialect lacks the request: TP03 and TP04 lack most.
    """

    @abstractmethod
    async def _one(self, kind: str, message: Message, wanted: type[M]) -> M:
        """Send a request and return the only message of its answer."""

    @abstractmethod
    async def _all(self, kind: str, message: Message, wanted: type[M]) -> list[M]:
        """Send a request and return the messages of its answer."""

    async def time_remaining(self) -> tp_pb2.TimeRemaining:
        """Return the time left in the turn."""
        return await self._one("get_time_remaining", tp_pb2.GetTimeRemaining(), tp_pb2.TimeRemaining)

    async def features(self) -> list[int]:
        """List the numbers of the features that the server offers."""
        return list((await self._one("get_features", tp_pb2.GetFeatures(), tp_pb2.Features)).features)

    async def object_ids_by_pos(self, pos: tp_pb2.Vector, r: int) -> tp_pb2.IDSequence:
        """List the ids of the objects around a point."""
        return await self._one("get_object_ids_by_pos", tp_pb2.GetObjectIDsByPos(pos=pos, r=r), tp_pb2.IDSequence)

    async def object_ids_by_container(self, number: int) -> tp_pb2.IDSequence:
        """List the ids of the objects inside another one."""
        request = tp_pb2.GetObjectIDsByContainer(id=number)
        return await self._one("get_object_ids_by_container", request, tp_pb2.IDSequence)

    async def create_account(self, username: str, password: str, email: str = "", comment: str = "") -> str:
        """Create an account. Log in afterwards. Return the server's words."""
        request = tp_pb2.CreateAccount(username=username, password=password, email=email, comment=comment)
        return (await self._one("create_account", request, tp_pb2.Okay)).result

    async def games(self) -> list[tp_pb2.Game]:
        """List the games on the server. TP03 has no such request."""
        return await self._all("get_games", tp_pb2.GetGames(), tp_pb2.Game)

    async def turn_summaries(self, first: int, amount: int = 1) -> list[tp_pb2.TurnSummary]:
        """Return the summaries of the turns from `first` on: at most `amount` (64 at most), and fewer if they are long.

        Continue with the turn after the last one. A connection that shows an old turn gets none after that.
        """
        request = tp_pb2.GetTurnSummaries(first=first, amount=amount)
        return await self._all("get_turn_summaries", request, tp_pb2.TurnSummary)

    async def appearance(self, ruleset: str = "") -> tp_pb2.Appearance:
        """Return the style of a ruleset, by `Game.rule`, or of this game.

        Works before login, too. A symbol may be shown only in its permitted form (`protocol/docs/requests.md`).
        """
        return await self._one("get_appearance", tp_pb2.GetAppearance(ruleset=ruleset), tp_pb2.Appearance)

    async def standing(self) -> tp_pb2.Standing:
        """Return the scores of the turn that is shown, with actions and regions, as far as the player may know them.

        The actions are the player's own.
        """
        return await self._one("get_standing", tp_pb2.GetStanding(), tp_pb2.Standing)

    async def login_account(self, username: str, password: str) -> str:
        """Log in to an account without entering a game. EnterGame can follow."""
        request = tp_pb2.LoginAccount(username=username, password=password)
        return (await self._one("login_account", request, tp_pb2.Account)).name

    async def keep_login(self, label: str, *, password: str = "") -> tp_pb2.Ticket:
        """Keep this browser logged in. The browser exchanges the ticket for a cookie (`POST /login`)."""
        return await self._one("keep_login", tp_pb2.KeepLogin(label=label, password=password), tp_pb2.Ticket)

    async def kept_logins(self) -> list[tp_pb2.KeptLogin]:
        """List the browsers in which the account stays logged in, the last used first."""
        return list((await self._one("get_kept_logins", tp_pb2.GetKeptLogins(), tp_pb2.KeptLogins)).logins)

    async def revoke_login(self, number: int = 0) -> str:
        """Log out a browser by its id in KeptLogins, or all of them (0). Return the server's words."""
        return (await self._one("revoke_login", tp_pb2.RevokeLogin(id=number), tp_pb2.Okay)).result

    async def rulesets(self) -> list[tp_pb2.Ruleset]:
        """Return the rulesets for new games, with seats and options. Works before login, too."""
        return await self._all("get_rulesets", tp_pb2.GetRulesets(), tp_pb2.Ruleset)

    async def invitation(self, game: str) -> str:
        """Return a new invitation word for a game for invited players.

        It replaces the previous word. Only for the owner of the game.
        """
        return (await self._one("get_invitation", tp_pb2.GetInvitation(game=game), tp_pb2.Invitation)).word

    async def scores(self) -> tp_pb2.Scores:
        """Return the scores of all turns up to the one shown, as the player saw them then.

        When the game is over, they have everything that any player saw, and the final places.
        """
        return await self._one("get_scores", tp_pb2.GetScores(), tp_pb2.Scores)

    async def setup(self, game: str = "") -> tp_pb2.GameSetup:
        """Return the setup of a game by name, or of the current game. Works before login, too."""
        return await self._one("get_game_setup", tp_pb2.GetGameSetup(game=game), tp_pb2.GameSetup)

    async def show_turn(self, turn: int) -> tp_pb2.TurnShown:
        """Show another old turn of the same game on a connection that shows an old turn."""
        return await self._one("show_turn", tp_pb2.ShowTurn(turn=turn), tp_pb2.TurnShown)

    async def game_clock(self, game: str = "") -> tp_pb2.Clock:
        """Return the turn clock of a game by name, or of the current game, with the end of the turn and the time banks.

        Works before login, too. Times are in unix seconds.
        """
        return await self._one("get_clock", tp_pb2.GetClock(game=game), tp_pb2.Clock)

    async def extend_turn(self, game: str, seconds: int, turn: int | None = None, *, take_back: bool = False) -> str:
        """Give the present turn of a game more time.

        Refused if `turn` is given and names another turn. Only for the owner of the game; notifies the players. Return
        the server's words.
        """
        request = tp_pb2.ExtendTurn(game=game, seconds=seconds, turn=turn, take_back=take_back)
        return (await self._one("extend_turn", request, tp_pb2.Okay)).result

    async def set_clock(self, game: str, clock: str) -> str:
        """Change the turn clock of a game; its form is that of CreateGame.

        It counts from the next turn on, and never ends the present turn earlier. Only for the owner of the game;
        notifies the players. Return the server's words.
        """
        return (await self._one("set_clock", tp_pb2.SetClock(game=game, clock=clock), tp_pb2.Okay)).result

    async def clock_groups(self, ruleset: str) -> list[tp_pb2.ClockGroup]:
        """List the turns of a ruleset that can have their own clock. Works before login, too."""
        request = tp_pb2.GetClockGroups(ruleset=ruleset)
        return list((await self._one("get_clock_groups", request, tp_pb2.ClockGroups)).groups)

    async def calendar(self) -> tp_pb2.Calendar:
        """Return whether the server offers calendar links, and since when the account has one.

        The server cannot show the link again.
        """
        return await self._one("get_calendar", tp_pb2.GetCalendar(), tp_pb2.Calendar)

    async def make_calendar(self, *, password: str = "") -> tp_pb2.Calendar:
        """Create a link by which calendar programs read when the account's turns are due.

        It replaces an earlier link. Only this answer contains it.
        """
        return await self._one("make_calendar", tp_pb2.MakeCalendar(password=password), tp_pb2.Calendar)

    async def revoke_calendar(self) -> str:
        """Revoke the calendar link of the account. Return the server's words."""
        return (await self._one("revoke_calendar", tp_pb2.RevokeCalendar(), tp_pb2.Okay)).result

    async def notices(self) -> tp_pb2.Notices:
        """Return the notification settings of the account."""
        return await self._one("get_notices", tp_pb2.GetNotices(), tp_pb2.Notices)

    async def add_notice_address(
        self, kind: str, target: str, token: str = "", *, resets: bool = False, password: str = ""
    ) -> tp_pb2.NoticeAddress:
        """Add an address of a kind in `Notices.channels`.

        The server sends a code to it, and nothing else until VerifyNoticeAddress returns that code. `token` is for
        Matrix and push. Only this answer contains the secret of a webhook. With `resets`, this mail address may reset a
        forgotten password. `password` is that of the account: ten minutes after the login the server refuses without it
        (code 10), here and in the other requests that have it.
        """
        request = tp_pb2.AddNoticeAddress(kind=kind, target=target, token=token, resets=resets, password=password)
        return await self._one("add_notice_address", request, tp_pb2.NoticeAddress)

    async def verify_notice_address(self, number: int, code: str = "") -> str:
        """Verify an address with the code that the server sent to it.

        Without a code, the server sends another one. Return the server's words.
        """
        request = tp_pb2.VerifyNoticeAddress(id=number, code=code)
        return (await self._one("verify_notice_address", request, tp_pb2.Okay)).result

    async def remove_notice_address(self, number: int) -> str:
        """Remove an address for notifications. Return the server's words."""
        return (await self._one("remove_notice_address", tp_pb2.RemoveNoticeAddress(id=number), tp_pb2.Okay)).result

    async def set_notice_times(self, zone: str, quiet_from: int = 0, quiet_to: int = 0, digest: int = 480) -> str:
        """Set the time zone, the quiet hours and the time of the digest.

        Times are in minutes after midnight. Return the server's words.
        """
        request = tp_pb2.SetNoticeTimes(zone=zone, quiet_from=quiet_from, quiet_to=quiet_to, digest=digest)
        return (await self._one("set_notice_times", request, tp_pb2.Okay)).result

    async def push_key(self) -> tp_pb2.PushKey:
        """Return the key that a browser needs to subscribe to notifications."""
        return await self._one("get_push_key", tp_pb2.GetPushKey(), tp_pb2.PushKey)

    async def game_seats(self, game: str = "") -> tp_pb2.Seats:
        """Return the seats of a game by name, or of the current game.

        They have the players, missed turns, and the policy for absent players. Works before login, too.
        """
        return await self._one("get_seats", tp_pb2.GetSeats(game=game), tp_pb2.Seats)

    async def set_seat_policy(self, game: str, policy: tp_pb2.SeatPolicy) -> str:
        """Change the policy of a game for absent players.

        Only for the owner of the game; notifies the players. Return the server's words.
        """
        return (await self._one("set_seat_policy", tp_pb2.SetSeatPolicy(game=game, policy=policy), tp_pb2.Okay)).result

    async def say_here(self) -> str:
        """Report that an absent player is back, so that the game waits for the player again.

        Return the server's words.
        """
        return (await self._one("say_here", tp_pb2.SayHere(), tp_pb2.Okay)).result

    async def take_seat(self, game: str, player: int, invitation: str = "") -> str:
        """Take an open seat by the number of its player, with its orders and all that it knows.

        Then enter the game with EnterGame. Return the server's words.
        """
        request = tp_pb2.TakeSeat(game=game, player=player, invitation=invitation)
        return (await self._one("take_seat", request, tp_pb2.Okay)).result

    async def remove_player(self, game: str, player: int) -> str:
        """Take a seat from its player, or offer a bot's seat.

        The seat is open then. Only for the owner of the game. Return the server's words.
        """
        return (await self._one("remove_player", tp_pb2.RemovePlayer(game=game, player=player), tp_pb2.Okay)).result

    async def proposals(self, game: str = "") -> tp_pb2.Proposals:
        """Return the proposals of the players of a game, with their votes, and those that the account can make.

        The game is given by name, or is the current game. Times are in unix seconds.
        """
        return await self._one("get_proposals", tp_pb2.GetProposals(game=game), tp_pb2.Proposals)

    async def vote(self, game: str, number: int, vote: str) -> str:
        """Agree to, refuse or withdraw a proposal ("agree", "refuse", "withdraw"). Return the server's words."""
        return (await self._one("vote", tp_pb2.Vote(game=game, id=number, vote=vote), tp_pb2.Okay)).result

    async def vacations(self) -> tp_pb2.Vacations:
        """Return the account's vacations, and the time left this year."""
        return await self._one("get_vacations", tp_pb2.GetVacations(), tp_pb2.Vacations)

    async def add_vacation(self, begins: int, ends: int) -> str:
        """Add a vacation of the account, in unix seconds (0: from now on).

        The clocks of some games wait for players on vacation. Return the server's words.
        """
        return (await self._one("add_vacation", tp_pb2.AddVacation(begins=begins, ends=ends), tp_pb2.Okay)).result

    async def end_vacation(self, number: int) -> str:
        """End a vacation of the account now, or cancel one that has not begun. Return the server's words."""
        return (await self._one("end_vacation", tp_pb2.EndVacation(id=number), tp_pb2.Okay)).result

    async def change_password(
        self,
        old: str,
        new: str,
        *,
        drop_addresses: bool = False,
        drop_providers: bool = False,
        drop_links: bool = False,
    ) -> str:
        """Change the password of the account.

        All its other connections, kept logins and tokens end. Addresses, providers and calendar links end only if the
        request says so. Return the server's words.
        """
        request = tp_pb2.ChangePassword(
            old=old, new=new, drop_addresses=drop_addresses, drop_providers=drop_providers, drop_links=drop_links
        )
        return (await self._one("change_password", request, tp_pb2.Okay)).result

    async def tokens(self) -> list[tp_pb2.Token]:
        """List the tokens of the account, the newest first.

        A program logs in with a token in place of the password, in any dialect.
        """
        return list((await self._one("get_tokens", tp_pb2.GetTokens(), tp_pb2.Tokens)).tokens)

    async def create_token(
        self, label: str, game: str = "", *, read_only: bool = False, days: int = 90, password: str = ""
    ) -> tp_pb2.Token:
        """Create a token for all games of the account, or for one. Only this answer contains its `secret`."""
        request = tp_pb2.CreateToken(label=label, game=game, read_only=read_only, days=days, password=password)
        return await self._one("create_token", request, tp_pb2.Token)

    async def revoke_token(self, number: int) -> str:
        """Revoke a token by its id in Tokens. Return the server's words."""
        return (await self._one("revoke_token", tp_pb2.RevokeToken(id=number), tp_pb2.Okay)).result

    async def request_reset(self, account: str) -> str:
        """Request a mail with a code that resets a forgotten password.

        Works before login. Feature 1002 says that the server sends such mails. Return the server's words.
        """
        return (await self._one("request_reset", tp_pb2.RequestReset(account=account), tp_pb2.Okay)).result

    async def reset_password(self, code: str, password: str) -> str:
        """Set a new password with the code from the mail of RequestReset. Return the server's words."""
        request = tp_pb2.ResetPassword(code=code, password=password)
        return (await self._one("reset_password", request, tp_pb2.Okay)).result

    async def own_account(self) -> tp_pb2.OwnAccount:
        """Return the account, its role, and the operations that the role allows."""
        return await self._one("get_own_account", tp_pb2.GetOwnAccount(), tp_pb2.OwnAccount)

    async def talk(self, game: str = "") -> tp_pb2.Talk:
        """Return the chat rules of a game, and the blocks and silence of the account.

        The game is given by name, or is the current game, if any.
        """
        return await self._one("get_talk", tp_pb2.GetTalk(game=game), tp_pb2.Talk)

    async def set_mute(self, muted: bool, game: str = "") -> str:
        """Mute or unmute the messages to everybody in a game.

        The game is given by name, or is the current game. Return the server's words.
        """
        return (await self._one("set_mute", tp_pb2.SetMute(game=game, muted=muted), tp_pb2.Okay)).result

    async def set_silence(self, name: str, days: int, reason: str = "") -> str:
        """Silence an account for some days, as a moderator; 0 ends the silence.

        The account learns the reason. Return the server's words.
        """
        request = tp_pb2.SetSilence(name=name, days=days, reason=reason)
        return (await self._one("set_silence", request, tp_pb2.Okay)).result

    async def report_message(self, slot: int, subject: str, reason: str, *, spectators: bool = False) -> str:
        """Report a message on the player's own board to the moderators.

        `subject` is that of the message, so that no other one is reported. With `spectators`, when the game is over,
        the message is one on the spectators' board. Return the server's words.
        """
        request = tp_pb2.ReportMessage(slot=slot, subject=subject, reason=reason, spectators=spectators)
        return (await self._one("report_message", request, tp_pb2.Okay)).result

    async def close_report(self, number: int, decision: str, answer: str, days: int = 0) -> str:
        """Decide a report by its id, as a moderator: dismissed, warned or silenced for some days.

        The reporter gets a message. So does the author, if warned or silenced. Return the server's words.
        """
        request = tp_pb2.CloseReport(id=number, decision=decision, answer=answer, days=days)
        return (await self._one("close_report", request, tp_pb2.Okay)).result

    async def rename_game(self, game: str, name: str) -> str:
        """Rename a game. Only for the owner of the game; notifies the players. Return the server's words."""
        return (await self._one("rename_game", tp_pb2.RenameGame(game=game, name=name), tp_pb2.Okay)).result

    async def set_join(self, game: str, invited: bool) -> str:
        """Close a game to newcomers, or open it to all.

        Only for the owner of the game; notifies the players. Return the server's words.
        """
        return (await self._one("set_join", tp_pb2.SetJoin(game=game, invited=invited), tp_pb2.Okay)).result

    async def abort_game(self, game: str, reason: str) -> str:
        """End a game without a result.

        Only for the owner of the game; notifies the players. Return the server's words.
        """
        return (await self._one("abort_game", tp_pb2.AbortGame(game=game, reason=reason), tp_pb2.Okay)).result

    async def hand_over_game(self, game: str, account: str, player: int = 0) -> str:
        """Make another player the owner of a game, by the account's name or the player's number.

        Only for the owner of the game; notifies the players. Return the server's words.
        """
        request = tp_pb2.HandOverGame(game=game, account=account, player=player)
        return (await self._one("hand_over_game", request, tp_pb2.Okay)).result

    async def play_as_guest(self) -> tp_pb2.Guest:
        """Log in as a guest without entering a game.

        The answer has the guest's name, and a secret in place of a password. Feature 1003 says that the server takes
        guests.
        """
        return await self._one("play_as_guest", tp_pb2.PlayAsGuest(), tp_pb2.Guest)

    async def become_account(self, username: str, password: str, email: str = "") -> str:
        """Turn a guest into an account, with all its seats and games. All its other connections and logins end."""
        request = tp_pb2.BecomeAccount(username=username, password=password, email=email)
        return (await self._one("become_account", request, tp_pb2.Account)).name

    async def providers(self) -> tp_pb2.Providers:
        """List the OpenID Connect providers that log in to accounts here. Feature 1004 says that there are some."""
        return await self._one("get_providers", tp_pb2.GetProviders(), tp_pb2.Providers)

    async def connect_provider(self, provider: str, *, password: str = "") -> tp_pb2.Ticket:
        """Let a provider log in to the account from now on.

        The browser brings the ticket to the address of the sign-in.
        """
        request = tp_pb2.ConnectProvider(provider=provider, password=password)
        return await self._one("connect_provider", request, tp_pb2.Ticket)

    async def disconnect_provider(self, provider: str) -> str:
        """Stop a provider from logging in to the account. Return the server's words."""
        request = tp_pb2.DisconnectProvider(provider=provider)
        return (await self._one("disconnect_provider", request, tp_pb2.Okay)).result

    async def set_reset_address(self, number: int, resets: bool, *, password: str = "") -> str:
        """Allow or forbid a verified mail address to reset a forgotten password.

        For the address of the account itself (0), it can only be forbidden. Return the server's words.
        """
        request = tp_pb2.SetResetAddress(id=number, resets=resets, password=password)
        return (await self._one("set_reset_address", request, tp_pb2.Okay)).result
