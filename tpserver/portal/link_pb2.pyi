from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Outcome(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    OUTCOME_DONE: _ClassVar[Outcome]
    OUTCOME_NOTHING: _ClassVar[Outcome]
    OUTCOME_REFUSED: _ClassVar[Outcome]
    OUTCOME_NOT_SAVED: _ClassVar[Outcome]
OUTCOME_DONE: Outcome
OUTCOME_NOTHING: Outcome
OUTCOME_REFUSED: Outcome
OUTCOME_NOT_SAVED: Outcome

class Message(_message.Message):
    __slots__ = ("hello", "refusal", "ready", "open", "request", "response", "push", "taken", "closed", "leaving", "reload", "status", "call", "result", "ping", "pong", "moved")
    HELLO_FIELD_NUMBER: _ClassVar[int]
    REFUSAL_FIELD_NUMBER: _ClassVar[int]
    READY_FIELD_NUMBER: _ClassVar[int]
    OPEN_FIELD_NUMBER: _ClassVar[int]
    REQUEST_FIELD_NUMBER: _ClassVar[int]
    RESPONSE_FIELD_NUMBER: _ClassVar[int]
    PUSH_FIELD_NUMBER: _ClassVar[int]
    TAKEN_FIELD_NUMBER: _ClassVar[int]
    CLOSED_FIELD_NUMBER: _ClassVar[int]
    LEAVING_FIELD_NUMBER: _ClassVar[int]
    RELOAD_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    CALL_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    PING_FIELD_NUMBER: _ClassVar[int]
    PONG_FIELD_NUMBER: _ClassVar[int]
    MOVED_FIELD_NUMBER: _ClassVar[int]
    hello: Hello
    refusal: Refusal
    ready: Ready
    open: Open
    request: Request
    response: Response
    push: Push
    taken: Taken
    closed: Closed
    leaving: Leaving
    reload: Reload
    status: Status
    call: Call
    result: Result
    ping: Ping
    pong: Pong
    moved: Moved
    def __init__(self, hello: _Optional[_Union[Hello, _Mapping]] = ..., refusal: _Optional[_Union[Refusal, _Mapping]] = ..., ready: _Optional[_Union[Ready, _Mapping]] = ..., open: _Optional[_Union[Open, _Mapping]] = ..., request: _Optional[_Union[Request, _Mapping]] = ..., response: _Optional[_Union[Response, _Mapping]] = ..., push: _Optional[_Union[Push, _Mapping]] = ..., taken: _Optional[_Union[Taken, _Mapping]] = ..., closed: _Optional[_Union[Closed, _Mapping]] = ..., leaving: _Optional[_Union[Leaving, _Mapping]] = ..., reload: _Optional[_Union[Reload, _Mapping]] = ..., status: _Optional[_Union[Status, _Mapping]] = ..., call: _Optional[_Union[Call, _Mapping]] = ..., result: _Optional[_Union[Result, _Mapping]] = ..., ping: _Optional[_Union[Ping, _Mapping]] = ..., pong: _Optional[_Union[Pong, _Mapping]] = ..., moved: _Optional[_Union[Moved, _Mapping]] = ...) -> None: ...

class Hello(_message.Message):
    __slots__ = ("version", "oldest", "software", "edge", "places", "cluster")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    OLDEST_FIELD_NUMBER: _ClassVar[int]
    SOFTWARE_FIELD_NUMBER: _ClassVar[int]
    EDGE_FIELD_NUMBER: _ClassVar[int]
    PLACES_FIELD_NUMBER: _ClassVar[int]
    CLUSTER_FIELD_NUMBER: _ClassVar[int]
    version: int
    oldest: int
    software: str
    edge: str
    places: _containers.RepeatedCompositeFieldContainer[Place]
    cluster: str
    def __init__(self, version: _Optional[int] = ..., oldest: _Optional[int] = ..., software: _Optional[str] = ..., edge: _Optional[str] = ..., places: _Optional[_Iterable[_Union[Place, _Mapping]]] = ..., cluster: _Optional[str] = ...) -> None: ...

class Place(_message.Message):
    __slots__ = ("host", "port", "secure", "web")
    HOST_FIELD_NUMBER: _ClassVar[int]
    PORT_FIELD_NUMBER: _ClassVar[int]
    SECURE_FIELD_NUMBER: _ClassVar[int]
    WEB_FIELD_NUMBER: _ClassVar[int]
    host: str
    port: int
    secure: bool
    web: bool
    def __init__(self, host: _Optional[str] = ..., port: _Optional[int] = ..., secure: _Optional[bool] = ..., web: _Optional[bool] = ...) -> None: ...

class Refusal(_message.Message):
    __slots__ = ("text",)
    TEXT_FIELD_NUMBER: _ClassVar[int]
    text: str
    def __init__(self, text: _Optional[str] = ...) -> None: ...

class Ready(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Open(_message.Message):
    __slots__ = ("connection", "address", "secure", "over_http", "token", "state")
    CONNECTION_FIELD_NUMBER: _ClassVar[int]
    ADDRESS_FIELD_NUMBER: _ClassVar[int]
    SECURE_FIELD_NUMBER: _ClassVar[int]
    OVER_HTTP_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    connection: int
    address: str
    secure: bool
    over_http: bool
    token: str
    state: bytes
    def __init__(self, connection: _Optional[int] = ..., address: _Optional[str] = ..., secure: _Optional[bool] = ..., over_http: _Optional[bool] = ..., token: _Optional[str] = ..., state: _Optional[bytes] = ...) -> None: ...

class Request(_message.Message):
    __slots__ = ("connection", "number", "dialect", "sequence", "kind", "body", "again", "taken", "turn", "following")
    CONNECTION_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    DIALECT_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    BODY_FIELD_NUMBER: _ClassVar[int]
    AGAIN_FIELD_NUMBER: _ClassVar[int]
    TAKEN_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    FOLLOWING_FIELD_NUMBER: _ClassVar[int]
    connection: int
    number: int
    dialect: str
    sequence: int
    kind: int
    body: bytes
    again: bool
    taken: int
    turn: int
    following: int
    def __init__(self, connection: _Optional[int] = ..., number: _Optional[int] = ..., dialect: _Optional[str] = ..., sequence: _Optional[int] = ..., kind: _Optional[int] = ..., body: _Optional[bytes] = ..., again: _Optional[bool] = ..., taken: _Optional[int] = ..., turn: _Optional[int] = ..., following: _Optional[int] = ...) -> None: ...

class Response(_message.Message):
    __slots__ = ("connection", "number", "data", "more", "left", "facts", "state")
    CONNECTION_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    MORE_FIELD_NUMBER: _ClassVar[int]
    LEFT_FIELD_NUMBER: _ClassVar[int]
    FACTS_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    connection: int
    number: int
    data: bytes
    more: bool
    left: int
    facts: Facts
    state: bytes
    def __init__(self, connection: _Optional[int] = ..., number: _Optional[int] = ..., data: _Optional[bytes] = ..., more: _Optional[bool] = ..., left: _Optional[int] = ..., facts: _Optional[_Union[Facts, _Mapping]] = ..., state: _Optional[bytes] = ...) -> None: ...

class Facts(_message.Message):
    __slots__ = ("logged_in", "account", "closing", "padded")
    LOGGED_IN_FIELD_NUMBER: _ClassVar[int]
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    CLOSING_FIELD_NUMBER: _ClassVar[int]
    PADDED_FIELD_NUMBER: _ClassVar[int]
    logged_in: bool
    account: int
    closing: bool
    padded: bool
    def __init__(self, logged_in: _Optional[bool] = ..., account: _Optional[int] = ..., closing: _Optional[bool] = ..., padded: _Optional[bool] = ...) -> None: ...

class Push(_message.Message):
    __slots__ = ("connection", "data", "state")
    CONNECTION_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    connection: int
    data: bytes
    state: bytes
    def __init__(self, connection: _Optional[int] = ..., data: _Optional[bytes] = ..., state: _Optional[bytes] = ...) -> None: ...

class Taken(_message.Message):
    __slots__ = ("connection", "bytes")
    CONNECTION_FIELD_NUMBER: _ClassVar[int]
    BYTES_FIELD_NUMBER: _ClassVar[int]
    connection: int
    bytes: int
    def __init__(self, connection: _Optional[int] = ..., bytes: _Optional[int] = ...) -> None: ...

class Closed(_message.Message):
    __slots__ = ("connection",)
    CONNECTION_FIELD_NUMBER: _ClassVar[int]
    connection: int
    def __init__(self, connection: _Optional[int] = ...) -> None: ...

class Moved(_message.Message):
    __slots__ = ("connection",)
    CONNECTION_FIELD_NUMBER: _ClassVar[int]
    connection: int
    def __init__(self, connection: _Optional[int] = ...) -> None: ...

class Ping(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Pong(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Leaving(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Reload(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Status(_message.Message):
    __slots__ = ("games", "problem", "less")
    GAMES_FIELD_NUMBER: _ClassVar[int]
    PROBLEM_FIELD_NUMBER: _ClassVar[int]
    LESS_FIELD_NUMBER: _ClassVar[int]
    games: int
    problem: str
    less: str
    def __init__(self, games: _Optional[int] = ..., problem: _Optional[str] = ..., less: _Optional[str] = ...) -> None: ...

class Call(_message.Message):
    __slots__ = ("number", "name", "argument")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    ARGUMENT_FIELD_NUMBER: _ClassVar[int]
    number: int
    name: str
    argument: str
    def __init__(self, number: _Optional[int] = ..., name: _Optional[str] = ..., argument: _Optional[str] = ...) -> None: ...

class Result(_message.Message):
    __slots__ = ("number", "outcome", "text", "tag")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    TAG_FIELD_NUMBER: _ClassVar[int]
    number: int
    outcome: Outcome
    text: str
    tag: str
    def __init__(self, number: _Optional[int] = ..., outcome: _Optional[_Union[Outcome, str]] = ..., text: _Optional[str] = ..., tag: _Optional[str] = ...) -> None: ...

class State(_message.Message):
    __slots__ = ("dialect", "padded", "attempts", "ended", "account", "credential", "kept_login", "token", "game", "seat", "past_turn", "turn", "look_turn", "look_letter", "has_look", "last_key", "lists", "watched", "proven")
    DIALECT_FIELD_NUMBER: _ClassVar[int]
    PADDED_FIELD_NUMBER: _ClassVar[int]
    ATTEMPTS_FIELD_NUMBER: _ClassVar[int]
    ENDED_FIELD_NUMBER: _ClassVar[int]
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    CREDENTIAL_FIELD_NUMBER: _ClassVar[int]
    KEPT_LOGIN_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    GAME_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    PAST_TURN_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    LOOK_TURN_FIELD_NUMBER: _ClassVar[int]
    LOOK_LETTER_FIELD_NUMBER: _ClassVar[int]
    HAS_LOOK_FIELD_NUMBER: _ClassVar[int]
    LAST_KEY_FIELD_NUMBER: _ClassVar[int]
    LISTS_FIELD_NUMBER: _ClassVar[int]
    WATCHED_FIELD_NUMBER: _ClassVar[int]
    PROVEN_FIELD_NUMBER: _ClassVar[int]
    dialect: str
    padded: bool
    attempts: int
    ended: str
    account: int
    credential: bytes
    kept_login: int
    token: int
    game: int
    seat: int
    past_turn: int
    turn: int
    look_turn: int
    look_letter: int
    has_look: bool
    last_key: int
    lists: _containers.RepeatedCompositeFieldContainer[List]
    watched: bool
    proven: float
    def __init__(self, dialect: _Optional[str] = ..., padded: _Optional[bool] = ..., attempts: _Optional[int] = ..., ended: _Optional[str] = ..., account: _Optional[int] = ..., credential: _Optional[bytes] = ..., kept_login: _Optional[int] = ..., token: _Optional[int] = ..., game: _Optional[int] = ..., seat: _Optional[int] = ..., past_turn: _Optional[int] = ..., turn: _Optional[int] = ..., look_turn: _Optional[int] = ..., look_letter: _Optional[int] = ..., has_look: _Optional[bool] = ..., last_key: _Optional[int] = ..., lists: _Optional[_Iterable[_Union[List, _Mapping]]] = ..., watched: _Optional[bool] = ..., proven: _Optional[float] = ...) -> None: ...

class List(_message.Message):
    __slots__ = ("key", "latest", "numbers")
    KEY_FIELD_NUMBER: _ClassVar[int]
    LATEST_FIELD_NUMBER: _ClassVar[int]
    NUMBERS_FIELD_NUMBER: _ClassVar[int]
    key: int
    latest: int
    numbers: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, key: _Optional[int] = ..., latest: _Optional[int] = ..., numbers: _Optional[_Iterable[int]] = ...) -> None: ...
