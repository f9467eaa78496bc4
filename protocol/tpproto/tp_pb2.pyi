from google.protobuf import descriptor_pb2 as _descriptor_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Version(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    EVERY: _ClassVar[Version]
    LATER: _ClassVar[Version]
    TP03: _ClassVar[Version]
    TP04: _ClassVar[Version]

class Direction(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    RESPONSE: _ClassVar[Direction]
    REQUEST: _ClassVar[Direction]

class Integer(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    NATURAL: _ClassVar[Integer]
    U32: _ClassVar[Integer]
    I32: _ClassVar[Integer]
    SEMI32: _ClassVar[Integer]
    U64: _ClassVar[Integer]
    I64: _ClassVar[Integer]
    SEMI64: _ClassVar[Integer]

class ParameterTypes(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    NONE: _ClassVar[ParameterTypes]
    ORDER_DESCRIPTION: _ClassVar[ParameterTypes]
    OBJECT_DESCRIPTION: _ClassVar[ParameterTypes]
    OBJECT_TYPE: _ClassVar[ParameterTypes]
    COMMAND_DESCRIPTION: _ClassVar[ParameterTypes]
EVERY: Version
LATER: Version
TP03: Version
TP04: Version
RESPONSE: Direction
REQUEST: Direction
NATURAL: Integer
U32: Integer
I32: Integer
SEMI32: Integer
U64: Integer
I64: Integer
SEMI64: Integer
NONE: ParameterTypes
ORDER_DESCRIPTION: ParameterTypes
OBJECT_DESCRIPTION: ParameterTypes
OBJECT_TYPE: ParameterTypes
COMMAND_DESCRIPTION: ParameterTypes
FRAME_FIELD_NUMBER: _ClassVar[int]
frame: _descriptor.FieldDescriptor
POLICY_FIELD_NUMBER: _ClassVar[int]
policy: _descriptor.FieldDescriptor
INTEGER_FIELD_NUMBER: _ClassVar[int]
integer: _descriptor.FieldDescriptor
ONLY_FIELD_NUMBER: _ClassVar[int]
only: _descriptor.FieldDescriptor
OTHERWISE_FIELD_NUMBER: _ClassVar[int]
otherwise: _descriptor.FieldDescriptor
PADDING_FIELD_NUMBER: _ClassVar[int]
padding: _descriptor.FieldDescriptor
PARAMETER_TYPES_FIELD_NUMBER: _ClassVar[int]
parameter_types: _descriptor.FieldDescriptor
PARAMETER_FIELD_NUMBER: _ClassVar[int]
parameter: _descriptor.FieldDescriptor
METHOD_FIELD_NUMBER: _ClassVar[int]
method: _descriptor.FieldDescriptor
USUAL_FIELD_NUMBER: _ClassVar[int]
usual: _descriptor.FieldDescriptor
RETURNED_FIELD_NUMBER: _ClassVar[int]
returned: _descriptor.FieldDescriptor
DETAIL_TYPES_FIELD_NUMBER: _ClassVar[int]
detail_types: _descriptor.FieldDescriptor

class FrameLayout(_message.Message):
    __slots__ = ("number", "name", "only", "direction")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    ONLY_FIELD_NUMBER: _ClassVar[int]
    DIRECTION_FIELD_NUMBER: _ClassVar[int]
    number: int
    name: str
    only: Version
    direction: Direction
    def __init__(self, number: _Optional[int] = ..., name: _Optional[str] = ..., only: _Optional[_Union[Version, str]] = ..., direction: _Optional[_Union[Direction, str]] = ...) -> None: ...

class Policy(_message.Message):
    __slots__ = ("needs", "access", "any_turn", "idempotent", "phrase", "answer", "errors")
    class Needs(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        SEAT: _ClassVar[Policy.Needs]
        GAME: _ClassVar[Policy.Needs]
        LOGIN: _ClassVar[Policy.Needs]
        NOTHING: _ClassVar[Policy.Needs]
    SEAT: Policy.Needs
    GAME: Policy.Needs
    LOGIN: Policy.Needs
    NOTHING: Policy.Needs
    class Access(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        ACCOUNT: _ClassVar[Policy.Access]
        CHANGE: _ClassVar[Policy.Access]
        READ: _ClassVar[Policy.Access]
    ACCOUNT: Policy.Access
    CHANGE: Policy.Access
    READ: Policy.Access
    NEEDS_FIELD_NUMBER: _ClassVar[int]
    ACCESS_FIELD_NUMBER: _ClassVar[int]
    ANY_TURN_FIELD_NUMBER: _ClassVar[int]
    IDEMPOTENT_FIELD_NUMBER: _ClassVar[int]
    PHRASE_FIELD_NUMBER: _ClassVar[int]
    ANSWER_FIELD_NUMBER: _ClassVar[int]
    ERRORS_FIELD_NUMBER: _ClassVar[int]
    needs: Policy.Needs
    access: Policy.Access
    any_turn: bool
    idempotent: bool
    phrase: str
    answer: _containers.RepeatedScalarFieldContainer[str]
    errors: Errors
    def __init__(self, needs: _Optional[_Union[Policy.Needs, str]] = ..., access: _Optional[_Union[Policy.Access, str]] = ..., any_turn: _Optional[bool] = ..., idempotent: _Optional[bool] = ..., phrase: _Optional[str] = ..., answer: _Optional[_Iterable[str]] = ..., errors: _Optional[_Union[Errors, _Mapping]] = ...) -> None: ...

class Errors(_message.Message):
    __slots__ = ("frame", "unavailable_permanently", "unavailable_temporarily", "no_such_thing", "permission_denied", "gone", "frame_version_not_supported", "request_too_big", "needs_consent", "password_needed")
    FRAME_FIELD_NUMBER: _ClassVar[int]
    UNAVAILABLE_PERMANENTLY_FIELD_NUMBER: _ClassVar[int]
    UNAVAILABLE_TEMPORARILY_FIELD_NUMBER: _ClassVar[int]
    NO_SUCH_THING_FIELD_NUMBER: _ClassVar[int]
    PERMISSION_DENIED_FIELD_NUMBER: _ClassVar[int]
    GONE_FIELD_NUMBER: _ClassVar[int]
    FRAME_VERSION_NOT_SUPPORTED_FIELD_NUMBER: _ClassVar[int]
    REQUEST_TOO_BIG_FIELD_NUMBER: _ClassVar[int]
    NEEDS_CONSENT_FIELD_NUMBER: _ClassVar[int]
    PASSWORD_NEEDED_FIELD_NUMBER: _ClassVar[int]
    frame: str
    unavailable_permanently: str
    unavailable_temporarily: str
    no_such_thing: str
    permission_denied: str
    gone: str
    frame_version_not_supported: str
    request_too_big: str
    needs_consent: str
    password_needed: str
    def __init__(self, frame: _Optional[str] = ..., unavailable_permanently: _Optional[str] = ..., unavailable_temporarily: _Optional[str] = ..., no_such_thing: _Optional[str] = ..., permission_denied: _Optional[str] = ..., gone: _Optional[str] = ..., frame_version_not_supported: _Optional[str] = ..., request_too_big: _Optional[str] = ..., needs_consent: _Optional[str] = ..., password_needed: _Optional[str] = ...) -> None: ...

class Frame(_message.Message):
    __slots__ = ("sequence", "okay", "fail", "sequence_of", "connect", "login", "get_objects_by_id", "get_objects_by_pos", "object", "classic_object", "get_order_desc", "order_desc", "get_order", "order", "order_insert", "remove_order", "get_time_remaining", "time_remaining", "get_boards", "board", "get_message", "message", "post_message", "remove_message", "get_resource", "resource", "redirect", "get_features", "features", "ping", "get_object_ids", "get_object_ids_by_pos", "get_object_ids_by_container", "object_ids", "get_order_desc_ids", "order_desc_ids", "order_probe", "get_board_ids", "board_ids", "get_resource_ids", "resource_ids", "get_player", "player", "get_category", "category", "add_category", "remove_category", "get_category_ids", "category_ids", "get_design", "design", "add_design", "modify_design", "remove_design", "get_design_ids", "design_ids", "get_component", "component", "get_component_ids", "component_ids", "get_property", "property", "get_property_ids", "property_ids", "create_account", "finished_turn", "set_filters", "get_games", "game", "get_object_desc", "object_desc", "get_object_desc_ids", "object_desc_ids", "modify_object", "get_player_ids", "player_ids", "get_order_queue", "order_queue", "get_order_queue_ids", "order_queue_ids", "order_replace", "get_rules", "rules", "get_legal_orders", "legal_orders", "get_legal_values", "legal_values", "unfinish_turn", "get_turn_summaries", "turn_summary", "get_appearance", "appearance", "get_standing", "standing", "login_account", "account", "enter_game", "keep_login", "ticket", "get_kept_logins", "kept_logins", "revoke_login", "get_my_games", "my_games", "get_rulesets", "ruleset", "create_game", "get_invitation", "invitation", "get_scores", "scores", "get_game_setup", "game_setup", "show_turn", "turn_shown", "get_clock", "clock", "extend_turn", "set_clock", "get_clock_groups", "clock_groups", "get_notices", "notices", "add_notice_address", "notice_address", "verify_notice_address", "set_reset_address", "remove_notice_address", "set_notice_wish", "set_notice_times", "get_calendar", "calendar", "make_calendar", "revoke_calendar", "get_push_key", "push_key", "get_seats", "seats", "set_seat_policy", "say_here", "set_autopilot", "get_open_seats", "open_seats", "take_seat", "remove_player", "change_password", "get_tokens", "tokens", "create_token", "token", "revoke_token", "request_reset", "reset_password", "administer", "administered", "get_accounts", "accounts", "get_own_account", "own_account", "get_proposals", "proposals", "propose", "vote", "get_vacations", "vacations", "add_vacation", "end_vacation", "get_talk", "talk", "set_mute", "set_block", "set_silence", "report_message", "get_message_reports", "message_reports", "close_report", "rename_game", "set_join", "abort_game", "hand_over_game", "set_watch_delay", "play_as_guest", "guest", "become_account", "get_providers", "providers", "connect_provider", "disconnect_provider")
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    OKAY_FIELD_NUMBER: _ClassVar[int]
    FAIL_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_OF_FIELD_NUMBER: _ClassVar[int]
    CONNECT_FIELD_NUMBER: _ClassVar[int]
    LOGIN_FIELD_NUMBER: _ClassVar[int]
    GET_OBJECTS_BY_ID_FIELD_NUMBER: _ClassVar[int]
    GET_OBJECTS_BY_POS_FIELD_NUMBER: _ClassVar[int]
    OBJECT_FIELD_NUMBER: _ClassVar[int]
    CLASSIC_OBJECT_FIELD_NUMBER: _ClassVar[int]
    GET_ORDER_DESC_FIELD_NUMBER: _ClassVar[int]
    ORDER_DESC_FIELD_NUMBER: _ClassVar[int]
    GET_ORDER_FIELD_NUMBER: _ClassVar[int]
    ORDER_FIELD_NUMBER: _ClassVar[int]
    ORDER_INSERT_FIELD_NUMBER: _ClassVar[int]
    REMOVE_ORDER_FIELD_NUMBER: _ClassVar[int]
    GET_TIME_REMAINING_FIELD_NUMBER: _ClassVar[int]
    TIME_REMAINING_FIELD_NUMBER: _ClassVar[int]
    GET_BOARDS_FIELD_NUMBER: _ClassVar[int]
    BOARD_FIELD_NUMBER: _ClassVar[int]
    GET_MESSAGE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    POST_MESSAGE_FIELD_NUMBER: _ClassVar[int]
    REMOVE_MESSAGE_FIELD_NUMBER: _ClassVar[int]
    GET_RESOURCE_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_FIELD_NUMBER: _ClassVar[int]
    REDIRECT_FIELD_NUMBER: _ClassVar[int]
    GET_FEATURES_FIELD_NUMBER: _ClassVar[int]
    FEATURES_FIELD_NUMBER: _ClassVar[int]
    PING_FIELD_NUMBER: _ClassVar[int]
    GET_OBJECT_IDS_FIELD_NUMBER: _ClassVar[int]
    GET_OBJECT_IDS_BY_POS_FIELD_NUMBER: _ClassVar[int]
    GET_OBJECT_IDS_BY_CONTAINER_FIELD_NUMBER: _ClassVar[int]
    OBJECT_IDS_FIELD_NUMBER: _ClassVar[int]
    GET_ORDER_DESC_IDS_FIELD_NUMBER: _ClassVar[int]
    ORDER_DESC_IDS_FIELD_NUMBER: _ClassVar[int]
    ORDER_PROBE_FIELD_NUMBER: _ClassVar[int]
    GET_BOARD_IDS_FIELD_NUMBER: _ClassVar[int]
    BOARD_IDS_FIELD_NUMBER: _ClassVar[int]
    GET_RESOURCE_IDS_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_IDS_FIELD_NUMBER: _ClassVar[int]
    GET_PLAYER_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    GET_CATEGORY_FIELD_NUMBER: _ClassVar[int]
    CATEGORY_FIELD_NUMBER: _ClassVar[int]
    ADD_CATEGORY_FIELD_NUMBER: _ClassVar[int]
    REMOVE_CATEGORY_FIELD_NUMBER: _ClassVar[int]
    GET_CATEGORY_IDS_FIELD_NUMBER: _ClassVar[int]
    CATEGORY_IDS_FIELD_NUMBER: _ClassVar[int]
    GET_DESIGN_FIELD_NUMBER: _ClassVar[int]
    DESIGN_FIELD_NUMBER: _ClassVar[int]
    ADD_DESIGN_FIELD_NUMBER: _ClassVar[int]
    MODIFY_DESIGN_FIELD_NUMBER: _ClassVar[int]
    REMOVE_DESIGN_FIELD_NUMBER: _ClassVar[int]
    GET_DESIGN_IDS_FIELD_NUMBER: _ClassVar[int]
    DESIGN_IDS_FIELD_NUMBER: _ClassVar[int]
    GET_COMPONENT_FIELD_NUMBER: _ClassVar[int]
    COMPONENT_FIELD_NUMBER: _ClassVar[int]
    GET_COMPONENT_IDS_FIELD_NUMBER: _ClassVar[int]
    COMPONENT_IDS_FIELD_NUMBER: _ClassVar[int]
    GET_PROPERTY_FIELD_NUMBER: _ClassVar[int]
    PROPERTY_FIELD_NUMBER: _ClassVar[int]
    GET_PROPERTY_IDS_FIELD_NUMBER: _ClassVar[int]
    PROPERTY_IDS_FIELD_NUMBER: _ClassVar[int]
    CREATE_ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    FINISHED_TURN_FIELD_NUMBER: _ClassVar[int]
    SET_FILTERS_FIELD_NUMBER: _ClassVar[int]
    GET_GAMES_FIELD_NUMBER: _ClassVar[int]
    GAME_FIELD_NUMBER: _ClassVar[int]
    GET_OBJECT_DESC_FIELD_NUMBER: _ClassVar[int]
    OBJECT_DESC_FIELD_NUMBER: _ClassVar[int]
    GET_OBJECT_DESC_IDS_FIELD_NUMBER: _ClassVar[int]
    OBJECT_DESC_IDS_FIELD_NUMBER: _ClassVar[int]
    MODIFY_OBJECT_FIELD_NUMBER: _ClassVar[int]
    GET_PLAYER_IDS_FIELD_NUMBER: _ClassVar[int]
    PLAYER_IDS_FIELD_NUMBER: _ClassVar[int]
    GET_ORDER_QUEUE_FIELD_NUMBER: _ClassVar[int]
    ORDER_QUEUE_FIELD_NUMBER: _ClassVar[int]
    GET_ORDER_QUEUE_IDS_FIELD_NUMBER: _ClassVar[int]
    ORDER_QUEUE_IDS_FIELD_NUMBER: _ClassVar[int]
    ORDER_REPLACE_FIELD_NUMBER: _ClassVar[int]
    GET_RULES_FIELD_NUMBER: _ClassVar[int]
    RULES_FIELD_NUMBER: _ClassVar[int]
    GET_LEGAL_ORDERS_FIELD_NUMBER: _ClassVar[int]
    LEGAL_ORDERS_FIELD_NUMBER: _ClassVar[int]
    GET_LEGAL_VALUES_FIELD_NUMBER: _ClassVar[int]
    LEGAL_VALUES_FIELD_NUMBER: _ClassVar[int]
    UNFINISH_TURN_FIELD_NUMBER: _ClassVar[int]
    GET_TURN_SUMMARIES_FIELD_NUMBER: _ClassVar[int]
    TURN_SUMMARY_FIELD_NUMBER: _ClassVar[int]
    GET_APPEARANCE_FIELD_NUMBER: _ClassVar[int]
    APPEARANCE_FIELD_NUMBER: _ClassVar[int]
    GET_STANDING_FIELD_NUMBER: _ClassVar[int]
    STANDING_FIELD_NUMBER: _ClassVar[int]
    LOGIN_ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    ENTER_GAME_FIELD_NUMBER: _ClassVar[int]
    KEEP_LOGIN_FIELD_NUMBER: _ClassVar[int]
    TICKET_FIELD_NUMBER: _ClassVar[int]
    GET_KEPT_LOGINS_FIELD_NUMBER: _ClassVar[int]
    KEPT_LOGINS_FIELD_NUMBER: _ClassVar[int]
    REVOKE_LOGIN_FIELD_NUMBER: _ClassVar[int]
    GET_MY_GAMES_FIELD_NUMBER: _ClassVar[int]
    MY_GAMES_FIELD_NUMBER: _ClassVar[int]
    GET_RULESETS_FIELD_NUMBER: _ClassVar[int]
    RULESET_FIELD_NUMBER: _ClassVar[int]
    CREATE_GAME_FIELD_NUMBER: _ClassVar[int]
    GET_INVITATION_FIELD_NUMBER: _ClassVar[int]
    INVITATION_FIELD_NUMBER: _ClassVar[int]
    GET_SCORES_FIELD_NUMBER: _ClassVar[int]
    SCORES_FIELD_NUMBER: _ClassVar[int]
    GET_GAME_SETUP_FIELD_NUMBER: _ClassVar[int]
    GAME_SETUP_FIELD_NUMBER: _ClassVar[int]
    SHOW_TURN_FIELD_NUMBER: _ClassVar[int]
    TURN_SHOWN_FIELD_NUMBER: _ClassVar[int]
    GET_CLOCK_FIELD_NUMBER: _ClassVar[int]
    CLOCK_FIELD_NUMBER: _ClassVar[int]
    EXTEND_TURN_FIELD_NUMBER: _ClassVar[int]
    SET_CLOCK_FIELD_NUMBER: _ClassVar[int]
    GET_CLOCK_GROUPS_FIELD_NUMBER: _ClassVar[int]
    CLOCK_GROUPS_FIELD_NUMBER: _ClassVar[int]
    GET_NOTICES_FIELD_NUMBER: _ClassVar[int]
    NOTICES_FIELD_NUMBER: _ClassVar[int]
    ADD_NOTICE_ADDRESS_FIELD_NUMBER: _ClassVar[int]
    NOTICE_ADDRESS_FIELD_NUMBER: _ClassVar[int]
    VERIFY_NOTICE_ADDRESS_FIELD_NUMBER: _ClassVar[int]
    SET_RESET_ADDRESS_FIELD_NUMBER: _ClassVar[int]
    REMOVE_NOTICE_ADDRESS_FIELD_NUMBER: _ClassVar[int]
    SET_NOTICE_WISH_FIELD_NUMBER: _ClassVar[int]
    SET_NOTICE_TIMES_FIELD_NUMBER: _ClassVar[int]
    GET_CALENDAR_FIELD_NUMBER: _ClassVar[int]
    CALENDAR_FIELD_NUMBER: _ClassVar[int]
    MAKE_CALENDAR_FIELD_NUMBER: _ClassVar[int]
    REVOKE_CALENDAR_FIELD_NUMBER: _ClassVar[int]
    GET_PUSH_KEY_FIELD_NUMBER: _ClassVar[int]
    PUSH_KEY_FIELD_NUMBER: _ClassVar[int]
    GET_SEATS_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    SET_SEAT_POLICY_FIELD_NUMBER: _ClassVar[int]
    SAY_HERE_FIELD_NUMBER: _ClassVar[int]
    SET_AUTOPILOT_FIELD_NUMBER: _ClassVar[int]
    GET_OPEN_SEATS_FIELD_NUMBER: _ClassVar[int]
    OPEN_SEATS_FIELD_NUMBER: _ClassVar[int]
    TAKE_SEAT_FIELD_NUMBER: _ClassVar[int]
    REMOVE_PLAYER_FIELD_NUMBER: _ClassVar[int]
    CHANGE_PASSWORD_FIELD_NUMBER: _ClassVar[int]
    GET_TOKENS_FIELD_NUMBER: _ClassVar[int]
    TOKENS_FIELD_NUMBER: _ClassVar[int]
    CREATE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    REVOKE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    REQUEST_RESET_FIELD_NUMBER: _ClassVar[int]
    RESET_PASSWORD_FIELD_NUMBER: _ClassVar[int]
    ADMINISTER_FIELD_NUMBER: _ClassVar[int]
    ADMINISTERED_FIELD_NUMBER: _ClassVar[int]
    GET_ACCOUNTS_FIELD_NUMBER: _ClassVar[int]
    ACCOUNTS_FIELD_NUMBER: _ClassVar[int]
    GET_OWN_ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    OWN_ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    GET_PROPOSALS_FIELD_NUMBER: _ClassVar[int]
    PROPOSALS_FIELD_NUMBER: _ClassVar[int]
    PROPOSE_FIELD_NUMBER: _ClassVar[int]
    VOTE_FIELD_NUMBER: _ClassVar[int]
    GET_VACATIONS_FIELD_NUMBER: _ClassVar[int]
    VACATIONS_FIELD_NUMBER: _ClassVar[int]
    ADD_VACATION_FIELD_NUMBER: _ClassVar[int]
    END_VACATION_FIELD_NUMBER: _ClassVar[int]
    GET_TALK_FIELD_NUMBER: _ClassVar[int]
    TALK_FIELD_NUMBER: _ClassVar[int]
    SET_MUTE_FIELD_NUMBER: _ClassVar[int]
    SET_BLOCK_FIELD_NUMBER: _ClassVar[int]
    SET_SILENCE_FIELD_NUMBER: _ClassVar[int]
    REPORT_MESSAGE_FIELD_NUMBER: _ClassVar[int]
    GET_MESSAGE_REPORTS_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_REPORTS_FIELD_NUMBER: _ClassVar[int]
    CLOSE_REPORT_FIELD_NUMBER: _ClassVar[int]
    RENAME_GAME_FIELD_NUMBER: _ClassVar[int]
    SET_JOIN_FIELD_NUMBER: _ClassVar[int]
    ABORT_GAME_FIELD_NUMBER: _ClassVar[int]
    HAND_OVER_GAME_FIELD_NUMBER: _ClassVar[int]
    SET_WATCH_DELAY_FIELD_NUMBER: _ClassVar[int]
    PLAY_AS_GUEST_FIELD_NUMBER: _ClassVar[int]
    GUEST_FIELD_NUMBER: _ClassVar[int]
    BECOME_ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    GET_PROVIDERS_FIELD_NUMBER: _ClassVar[int]
    PROVIDERS_FIELD_NUMBER: _ClassVar[int]
    CONNECT_PROVIDER_FIELD_NUMBER: _ClassVar[int]
    DISCONNECT_PROVIDER_FIELD_NUMBER: _ClassVar[int]
    sequence: int
    okay: Okay
    fail: Fail
    sequence_of: Sequence
    connect: Connect
    login: Login
    get_objects_by_id: GetWithID
    get_objects_by_pos: GetObjectsByPos
    object: Object
    classic_object: ClassicObject
    get_order_desc: GetWithID
    order_desc: OrderDesc
    get_order: GetWithIDSlot
    order: Order
    order_insert: Order
    remove_order: GetWithIDSlot
    get_time_remaining: GetTimeRemaining
    time_remaining: TimeRemaining
    get_boards: GetWithID
    board: Board
    get_message: GetWithIDSlot
    message: Message
    post_message: Message
    remove_message: GetWithIDSlot
    get_resource: GetWithID
    resource: Resource
    redirect: Redirect
    get_features: GetFeatures
    features: Features
    ping: Ping
    get_object_ids: GetIDSequence
    get_object_ids_by_pos: GetObjectIDsByPos
    get_object_ids_by_container: GetObjectIDsByContainer
    object_ids: IDSequence
    get_order_desc_ids: GetIDSequence
    order_desc_ids: IDSequence
    order_probe: Order
    get_board_ids: GetIDSequence
    board_ids: IDSequence
    get_resource_ids: GetIDSequence
    resource_ids: IDSequence
    get_player: GetWithID
    player: Player
    get_category: GetWithID
    category: Category
    add_category: Category
    remove_category: GetWithID
    get_category_ids: GetIDSequence
    category_ids: IDSequence
    get_design: GetWithID
    design: Design
    add_design: Design
    modify_design: Design
    remove_design: GetWithID
    get_design_ids: GetIDSequence
    design_ids: IDSequence
    get_component: GetWithID
    component: Component
    get_component_ids: GetIDSequence
    component_ids: IDSequence
    get_property: GetWithID
    property: Property
    get_property_ids: GetIDSequence
    property_ids: IDSequence
    create_account: CreateAccount
    finished_turn: FinishedTurn
    set_filters: SetFilters
    get_games: GetGames
    game: Game
    get_object_desc: GetWithID
    object_desc: ObjectDesc
    get_object_desc_ids: GetIDSequence
    object_desc_ids: IDSequence
    modify_object: Object
    get_player_ids: GetIDSequence
    player_ids: IDSequence
    get_order_queue: GetWithID
    order_queue: OrderQueue
    get_order_queue_ids: GetIDSequence
    order_queue_ids: IDSequence
    order_replace: Order
    get_rules: GetRules
    rules: Rules
    get_legal_orders: GetLegalOrders
    legal_orders: LegalOrders
    get_legal_values: GetLegalValues
    legal_values: LegalValues
    unfinish_turn: UnfinishTurn
    get_turn_summaries: GetTurnSummaries
    turn_summary: TurnSummary
    get_appearance: GetAppearance
    appearance: Appearance
    get_standing: GetStanding
    standing: Standing
    login_account: LoginAccount
    account: Account
    enter_game: EnterGame
    keep_login: KeepLogin
    ticket: Ticket
    get_kept_logins: GetKeptLogins
    kept_logins: KeptLogins
    revoke_login: RevokeLogin
    get_my_games: GetMyGames
    my_games: MyGames
    get_rulesets: GetRulesets
    ruleset: Ruleset
    create_game: CreateGame
    get_invitation: GetInvitation
    invitation: Invitation
    get_scores: GetScores
    scores: Scores
    get_game_setup: GetGameSetup
    game_setup: GameSetup
    show_turn: ShowTurn
    turn_shown: TurnShown
    get_clock: GetClock
    clock: Clock
    extend_turn: ExtendTurn
    set_clock: SetClock
    get_clock_groups: GetClockGroups
    clock_groups: ClockGroups
    get_notices: GetNotices
    notices: Notices
    add_notice_address: AddNoticeAddress
    notice_address: NoticeAddress
    verify_notice_address: VerifyNoticeAddress
    set_reset_address: SetResetAddress
    remove_notice_address: RemoveNoticeAddress
    set_notice_wish: SetNoticeWish
    set_notice_times: SetNoticeTimes
    get_calendar: GetCalendar
    calendar: Calendar
    make_calendar: MakeCalendar
    revoke_calendar: RevokeCalendar
    get_push_key: GetPushKey
    push_key: PushKey
    get_seats: GetSeats
    seats: Seats
    set_seat_policy: SetSeatPolicy
    say_here: SayHere
    set_autopilot: SetAutopilot
    get_open_seats: GetOpenSeats
    open_seats: OpenSeats
    take_seat: TakeSeat
    remove_player: RemovePlayer
    change_password: ChangePassword
    get_tokens: GetTokens
    tokens: Tokens
    create_token: CreateToken
    token: Token
    revoke_token: RevokeToken
    request_reset: RequestReset
    reset_password: ResetPassword
    administer: Administer
    administered: Administered
    get_accounts: GetAccounts
    accounts: Accounts
    get_own_account: GetOwnAccount
    own_account: OwnAccount
    get_proposals: GetProposals
    proposals: Proposals
    propose: Propose
    vote: Vote
    get_vacations: GetVacations
    vacations: Vacations
    add_vacation: AddVacation
    end_vacation: EndVacation
    get_talk: GetTalk
    talk: Talk
    set_mute: SetMute
    set_block: SetBlock
    set_silence: SetSilence
    report_message: ReportMessage
    get_message_reports: GetMessageReports
    message_reports: MessageReports
    close_report: CloseReport
    rename_game: RenameGame
    set_join: SetJoin
    abort_game: AbortGame
    hand_over_game: HandOverGame
    set_watch_delay: SetWatchDelay
    play_as_guest: PlayAsGuest
    guest: Guest
    become_account: BecomeAccount
    get_providers: GetProviders
    providers: Providers
    connect_provider: ConnectProvider
    disconnect_provider: DisconnectProvider
    def __init__(self, sequence: _Optional[int] = ..., okay: _Optional[_Union[Okay, _Mapping]] = ..., fail: _Optional[_Union[Fail, _Mapping]] = ..., sequence_of: _Optional[_Union[Sequence, _Mapping]] = ..., connect: _Optional[_Union[Connect, _Mapping]] = ..., login: _Optional[_Union[Login, _Mapping]] = ..., get_objects_by_id: _Optional[_Union[GetWithID, _Mapping]] = ..., get_objects_by_pos: _Optional[_Union[GetObjectsByPos, _Mapping]] = ..., object: _Optional[_Union[Object, _Mapping]] = ..., classic_object: _Optional[_Union[ClassicObject, _Mapping]] = ..., get_order_desc: _Optional[_Union[GetWithID, _Mapping]] = ..., order_desc: _Optional[_Union[OrderDesc, _Mapping]] = ..., get_order: _Optional[_Union[GetWithIDSlot, _Mapping]] = ..., order: _Optional[_Union[Order, _Mapping]] = ..., order_insert: _Optional[_Union[Order, _Mapping]] = ..., remove_order: _Optional[_Union[GetWithIDSlot, _Mapping]] = ..., get_time_remaining: _Optional[_Union[GetTimeRemaining, _Mapping]] = ..., time_remaining: _Optional[_Union[TimeRemaining, _Mapping]] = ..., get_boards: _Optional[_Union[GetWithID, _Mapping]] = ..., board: _Optional[_Union[Board, _Mapping]] = ..., get_message: _Optional[_Union[GetWithIDSlot, _Mapping]] = ..., message: _Optional[_Union[Message, _Mapping]] = ..., post_message: _Optional[_Union[Message, _Mapping]] = ..., remove_message: _Optional[_Union[GetWithIDSlot, _Mapping]] = ..., get_resource: _Optional[_Union[GetWithID, _Mapping]] = ..., resource: _Optional[_Union[Resource, _Mapping]] = ..., redirect: _Optional[_Union[Redirect, _Mapping]] = ..., get_features: _Optional[_Union[GetFeatures, _Mapping]] = ..., features: _Optional[_Union[Features, _Mapping]] = ..., ping: _Optional[_Union[Ping, _Mapping]] = ..., get_object_ids: _Optional[_Union[GetIDSequence, _Mapping]] = ..., get_object_ids_by_pos: _Optional[_Union[GetObjectIDsByPos, _Mapping]] = ..., get_object_ids_by_container: _Optional[_Union[GetObjectIDsByContainer, _Mapping]] = ..., object_ids: _Optional[_Union[IDSequence, _Mapping]] = ..., get_order_desc_ids: _Optional[_Union[GetIDSequence, _Mapping]] = ..., order_desc_ids: _Optional[_Union[IDSequence, _Mapping]] = ..., order_probe: _Optional[_Union[Order, _Mapping]] = ..., get_board_ids: _Optional[_Union[GetIDSequence, _Mapping]] = ..., board_ids: _Optional[_Union[IDSequence, _Mapping]] = ..., get_resource_ids: _Optional[_Union[GetIDSequence, _Mapping]] = ..., resource_ids: _Optional[_Union[IDSequence, _Mapping]] = ..., get_player: _Optional[_Union[GetWithID, _Mapping]] = ..., player: _Optional[_Union[Player, _Mapping]] = ..., get_category: _Optional[_Union[GetWithID, _Mapping]] = ..., category: _Optional[_Union[Category, _Mapping]] = ..., add_category: _Optional[_Union[Category, _Mapping]] = ..., remove_category: _Optional[_Union[GetWithID, _Mapping]] = ..., get_category_ids: _Optional[_Union[GetIDSequence, _Mapping]] = ..., category_ids: _Optional[_Union[IDSequence, _Mapping]] = ..., get_design: _Optional[_Union[GetWithID, _Mapping]] = ..., design: _Optional[_Union[Design, _Mapping]] = ..., add_design: _Optional[_Union[Design, _Mapping]] = ..., modify_design: _Optional[_Union[Design, _Mapping]] = ..., remove_design: _Optional[_Union[GetWithID, _Mapping]] = ..., get_design_ids: _Optional[_Union[GetIDSequence, _Mapping]] = ..., design_ids: _Optional[_Union[IDSequence, _Mapping]] = ..., get_component: _Optional[_Union[GetWithID, _Mapping]] = ..., component: _Optional[_Union[Component, _Mapping]] = ..., get_component_ids: _Optional[_Union[GetIDSequence, _Mapping]] = ..., component_ids: _Optional[_Union[IDSequence, _Mapping]] = ..., get_property: _Optional[_Union[GetWithID, _Mapping]] = ..., property: _Optional[_Union[Property, _Mapping]] = ..., get_property_ids: _Optional[_Union[GetIDSequence, _Mapping]] = ..., property_ids: _Optional[_Union[IDSequence, _Mapping]] = ..., create_account: _Optional[_Union[CreateAccount, _Mapping]] = ..., finished_turn: _Optional[_Union[FinishedTurn, _Mapping]] = ..., set_filters: _Optional[_Union[SetFilters, _Mapping]] = ..., get_games: _Optional[_Union[GetGames, _Mapping]] = ..., game: _Optional[_Union[Game, _Mapping]] = ..., get_object_desc: _Optional[_Union[GetWithID, _Mapping]] = ..., object_desc: _Optional[_Union[ObjectDesc, _Mapping]] = ..., get_object_desc_ids: _Optional[_Union[GetIDSequence, _Mapping]] = ..., object_desc_ids: _Optional[_Union[IDSequence, _Mapping]] = ..., modify_object: _Optional[_Union[Object, _Mapping]] = ..., get_player_ids: _Optional[_Union[GetIDSequence, _Mapping]] = ..., player_ids: _Optional[_Union[IDSequence, _Mapping]] = ..., get_order_queue: _Optional[_Union[GetWithID, _Mapping]] = ..., order_queue: _Optional[_Union[OrderQueue, _Mapping]] = ..., get_order_queue_ids: _Optional[_Union[GetIDSequence, _Mapping]] = ..., order_queue_ids: _Optional[_Union[IDSequence, _Mapping]] = ..., order_replace: _Optional[_Union[Order, _Mapping]] = ..., get_rules: _Optional[_Union[GetRules, _Mapping]] = ..., rules: _Optional[_Union[Rules, _Mapping]] = ..., get_legal_orders: _Optional[_Union[GetLegalOrders, _Mapping]] = ..., legal_orders: _Optional[_Union[LegalOrders, _Mapping]] = ..., get_legal_values: _Optional[_Union[GetLegalValues, _Mapping]] = ..., legal_values: _Optional[_Union[LegalValues, _Mapping]] = ..., unfinish_turn: _Optional[_Union[UnfinishTurn, _Mapping]] = ..., get_turn_summaries: _Optional[_Union[GetTurnSummaries, _Mapping]] = ..., turn_summary: _Optional[_Union[TurnSummary, _Mapping]] = ..., get_appearance: _Optional[_Union[GetAppearance, _Mapping]] = ..., appearance: _Optional[_Union[Appearance, _Mapping]] = ..., get_standing: _Optional[_Union[GetStanding, _Mapping]] = ..., standing: _Optional[_Union[Standing, _Mapping]] = ..., login_account: _Optional[_Union[LoginAccount, _Mapping]] = ..., account: _Optional[_Union[Account, _Mapping]] = ..., enter_game: _Optional[_Union[EnterGame, _Mapping]] = ..., keep_login: _Optional[_Union[KeepLogin, _Mapping]] = ..., ticket: _Optional[_Union[Ticket, _Mapping]] = ..., get_kept_logins: _Optional[_Union[GetKeptLogins, _Mapping]] = ..., kept_logins: _Optional[_Union[KeptLogins, _Mapping]] = ..., revoke_login: _Optional[_Union[RevokeLogin, _Mapping]] = ..., get_my_games: _Optional[_Union[GetMyGames, _Mapping]] = ..., my_games: _Optional[_Union[MyGames, _Mapping]] = ..., get_rulesets: _Optional[_Union[GetRulesets, _Mapping]] = ..., ruleset: _Optional[_Union[Ruleset, _Mapping]] = ..., create_game: _Optional[_Union[CreateGame, _Mapping]] = ..., get_invitation: _Optional[_Union[GetInvitation, _Mapping]] = ..., invitation: _Optional[_Union[Invitation, _Mapping]] = ..., get_scores: _Optional[_Union[GetScores, _Mapping]] = ..., scores: _Optional[_Union[Scores, _Mapping]] = ..., get_game_setup: _Optional[_Union[GetGameSetup, _Mapping]] = ..., game_setup: _Optional[_Union[GameSetup, _Mapping]] = ..., show_turn: _Optional[_Union[ShowTurn, _Mapping]] = ..., turn_shown: _Optional[_Union[TurnShown, _Mapping]] = ..., get_clock: _Optional[_Union[GetClock, _Mapping]] = ..., clock: _Optional[_Union[Clock, _Mapping]] = ..., extend_turn: _Optional[_Union[ExtendTurn, _Mapping]] = ..., set_clock: _Optional[_Union[SetClock, _Mapping]] = ..., get_clock_groups: _Optional[_Union[GetClockGroups, _Mapping]] = ..., clock_groups: _Optional[_Union[ClockGroups, _Mapping]] = ..., get_notices: _Optional[_Union[GetNotices, _Mapping]] = ..., notices: _Optional[_Union[Notices, _Mapping]] = ..., add_notice_address: _Optional[_Union[AddNoticeAddress, _Mapping]] = ..., notice_address: _Optional[_Union[NoticeAddress, _Mapping]] = ..., verify_notice_address: _Optional[_Union[VerifyNoticeAddress, _Mapping]] = ..., set_reset_address: _Optional[_Union[SetResetAddress, _Mapping]] = ..., remove_notice_address: _Optional[_Union[RemoveNoticeAddress, _Mapping]] = ..., set_notice_wish: _Optional[_Union[SetNoticeWish, _Mapping]] = ..., set_notice_times: _Optional[_Union[SetNoticeTimes, _Mapping]] = ..., get_calendar: _Optional[_Union[GetCalendar, _Mapping]] = ..., calendar: _Optional[_Union[Calendar, _Mapping]] = ..., make_calendar: _Optional[_Union[MakeCalendar, _Mapping]] = ..., revoke_calendar: _Optional[_Union[RevokeCalendar, _Mapping]] = ..., get_push_key: _Optional[_Union[GetPushKey, _Mapping]] = ..., push_key: _Optional[_Union[PushKey, _Mapping]] = ..., get_seats: _Optional[_Union[GetSeats, _Mapping]] = ..., seats: _Optional[_Union[Seats, _Mapping]] = ..., set_seat_policy: _Optional[_Union[SetSeatPolicy, _Mapping]] = ..., say_here: _Optional[_Union[SayHere, _Mapping]] = ..., set_autopilot: _Optional[_Union[SetAutopilot, _Mapping]] = ..., get_open_seats: _Optional[_Union[GetOpenSeats, _Mapping]] = ..., open_seats: _Optional[_Union[OpenSeats, _Mapping]] = ..., take_seat: _Optional[_Union[TakeSeat, _Mapping]] = ..., remove_player: _Optional[_Union[RemovePlayer, _Mapping]] = ..., change_password: _Optional[_Union[ChangePassword, _Mapping]] = ..., get_tokens: _Optional[_Union[GetTokens, _Mapping]] = ..., tokens: _Optional[_Union[Tokens, _Mapping]] = ..., create_token: _Optional[_Union[CreateToken, _Mapping]] = ..., token: _Optional[_Union[Token, _Mapping]] = ..., revoke_token: _Optional[_Union[RevokeToken, _Mapping]] = ..., request_reset: _Optional[_Union[RequestReset, _Mapping]] = ..., reset_password: _Optional[_Union[ResetPassword, _Mapping]] = ..., administer: _Optional[_Union[Administer, _Mapping]] = ..., administered: _Optional[_Union[Administered, _Mapping]] = ..., get_accounts: _Optional[_Union[GetAccounts, _Mapping]] = ..., accounts: _Optional[_Union[Accounts, _Mapping]] = ..., get_own_account: _Optional[_Union[GetOwnAccount, _Mapping]] = ..., own_account: _Optional[_Union[OwnAccount, _Mapping]] = ..., get_proposals: _Optional[_Union[GetProposals, _Mapping]] = ..., proposals: _Optional[_Union[Proposals, _Mapping]] = ..., propose: _Optional[_Union[Propose, _Mapping]] = ..., vote: _Optional[_Union[Vote, _Mapping]] = ..., get_vacations: _Optional[_Union[GetVacations, _Mapping]] = ..., vacations: _Optional[_Union[Vacations, _Mapping]] = ..., add_vacation: _Optional[_Union[AddVacation, _Mapping]] = ..., end_vacation: _Optional[_Union[EndVacation, _Mapping]] = ..., get_talk: _Optional[_Union[GetTalk, _Mapping]] = ..., talk: _Optional[_Union[Talk, _Mapping]] = ..., set_mute: _Optional[_Union[SetMute, _Mapping]] = ..., set_block: _Optional[_Union[SetBlock, _Mapping]] = ..., set_silence: _Optional[_Union[SetSilence, _Mapping]] = ..., report_message: _Optional[_Union[ReportMessage, _Mapping]] = ..., get_message_reports: _Optional[_Union[GetMessageReports, _Mapping]] = ..., message_reports: _Optional[_Union[MessageReports, _Mapping]] = ..., close_report: _Optional[_Union[CloseReport, _Mapping]] = ..., rename_game: _Optional[_Union[RenameGame, _Mapping]] = ..., set_join: _Optional[_Union[SetJoin, _Mapping]] = ..., abort_game: _Optional[_Union[AbortGame, _Mapping]] = ..., hand_over_game: _Optional[_Union[HandOverGame, _Mapping]] = ..., set_watch_delay: _Optional[_Union[SetWatchDelay, _Mapping]] = ..., play_as_guest: _Optional[_Union[PlayAsGuest, _Mapping]] = ..., guest: _Optional[_Union[Guest, _Mapping]] = ..., become_account: _Optional[_Union[BecomeAccount, _Mapping]] = ..., get_providers: _Optional[_Union[GetProviders, _Mapping]] = ..., providers: _Optional[_Union[Providers, _Mapping]] = ..., connect_provider: _Optional[_Union[ConnectProvider, _Mapping]] = ..., disconnect_provider: _Optional[_Union[DisconnectProvider, _Mapping]] = ...) -> None: ...

class Okay(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: str
    def __init__(self, result: _Optional[str] = ...) -> None: ...

class Fail(_message.Message):
    __slots__ = ("code", "result", "references")
    CODE_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    REFERENCES_FIELD_NUMBER: _ClassVar[int]
    code: int
    result: str
    references: _containers.RepeatedCompositeFieldContainer[Reference]
    def __init__(self, code: _Optional[int] = ..., result: _Optional[str] = ..., references: _Optional[_Iterable[_Union[Reference, _Mapping]]] = ...) -> None: ...

class Sequence(_message.Message):
    __slots__ = ("number",)
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    number: int
    def __init__(self, number: _Optional[int] = ...) -> None: ...

class Reference(_message.Message):
    __slots__ = ("type", "id")
    TYPE_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    type: int
    id: int
    def __init__(self, type: _Optional[int] = ..., id: _Optional[int] = ...) -> None: ...

class GetWithID(_message.Message):
    __slots__ = ("ids",)
    IDS_FIELD_NUMBER: _ClassVar[int]
    ids: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, ids: _Optional[_Iterable[int]] = ...) -> None: ...

class GetWithIDSlot(_message.Message):
    __slots__ = ("id", "slots", "turn")
    ID_FIELD_NUMBER: _ClassVar[int]
    SLOTS_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    id: int
    slots: _containers.RepeatedScalarFieldContainer[int]
    turn: int
    def __init__(self, id: _Optional[int] = ..., slots: _Optional[_Iterable[int]] = ..., turn: _Optional[int] = ...) -> None: ...

class GetIDSequence(_message.Message):
    __slots__ = ("key", "start", "amount", "fromtime")
    KEY_FIELD_NUMBER: _ClassVar[int]
    START_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_FIELD_NUMBER: _ClassVar[int]
    FROMTIME_FIELD_NUMBER: _ClassVar[int]
    key: int
    start: int
    amount: int
    fromtime: int
    def __init__(self, key: _Optional[int] = ..., start: _Optional[int] = ..., amount: _Optional[int] = ..., fromtime: _Optional[int] = ...) -> None: ...

class IDSequence(_message.Message):
    __slots__ = ("key", "remaining", "ids", "fromtime")
    KEY_FIELD_NUMBER: _ClassVar[int]
    REMAINING_FIELD_NUMBER: _ClassVar[int]
    IDS_FIELD_NUMBER: _ClassVar[int]
    FROMTIME_FIELD_NUMBER: _ClassVar[int]
    key: int
    remaining: int
    ids: _containers.RepeatedCompositeFieldContainer[IdAndTime]
    fromtime: int
    def __init__(self, key: _Optional[int] = ..., remaining: _Optional[int] = ..., ids: _Optional[_Iterable[_Union[IdAndTime, _Mapping]]] = ..., fromtime: _Optional[int] = ...) -> None: ...

class IdAndTime(_message.Message):
    __slots__ = ("id", "modtime")
    ID_FIELD_NUMBER: _ClassVar[int]
    MODTIME_FIELD_NUMBER: _ClassVar[int]
    id: int
    modtime: int
    def __init__(self, id: _Optional[int] = ..., modtime: _Optional[int] = ...) -> None: ...

class Connect(_message.Message):
    __slots__ = ("client",)
    CLIENT_FIELD_NUMBER: _ClassVar[int]
    client: str
    def __init__(self, client: _Optional[str] = ...) -> None: ...

class Login(_message.Message):
    __slots__ = ("username", "password")
    USERNAME_FIELD_NUMBER: _ClassVar[int]
    PASSWORD_FIELD_NUMBER: _ClassVar[int]
    username: str
    password: str
    def __init__(self, username: _Optional[str] = ..., password: _Optional[str] = ...) -> None: ...

class CreateAccount(_message.Message):
    __slots__ = ("username", "password", "email", "comment")
    USERNAME_FIELD_NUMBER: _ClassVar[int]
    PASSWORD_FIELD_NUMBER: _ClassVar[int]
    EMAIL_FIELD_NUMBER: _ClassVar[int]
    COMMENT_FIELD_NUMBER: _ClassVar[int]
    username: str
    password: str
    email: str
    comment: str
    def __init__(self, username: _Optional[str] = ..., password: _Optional[str] = ..., email: _Optional[str] = ..., comment: _Optional[str] = ...) -> None: ...

class Redirect(_message.Message):
    __slots__ = ("uri",)
    URI_FIELD_NUMBER: _ClassVar[int]
    uri: str
    def __init__(self, uri: _Optional[str] = ...) -> None: ...

class Ping(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetFeatures(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Features(_message.Message):
    __slots__ = ("features",)
    FEATURES_FIELD_NUMBER: _ClassVar[int]
    features: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, features: _Optional[_Iterable[int]] = ...) -> None: ...

class SetFilters(_message.Message):
    __slots__ = ("filters",)
    FILTERS_FIELD_NUMBER: _ClassVar[int]
    filters: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, filters: _Optional[_Iterable[int]] = ...) -> None: ...

class GetGames(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Game(_message.Message):
    __slots__ = ("name", "key", "tp", "server", "server_type", "rule", "rule_version", "connections", "parameters", "media_base", "created")
    NAME_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    TP_FIELD_NUMBER: _ClassVar[int]
    SERVER_FIELD_NUMBER: _ClassVar[int]
    SERVER_TYPE_FIELD_NUMBER: _ClassVar[int]
    RULE_FIELD_NUMBER: _ClassVar[int]
    RULE_VERSION_FIELD_NUMBER: _ClassVar[int]
    CONNECTIONS_FIELD_NUMBER: _ClassVar[int]
    PARAMETERS_FIELD_NUMBER: _ClassVar[int]
    MEDIA_BASE_FIELD_NUMBER: _ClassVar[int]
    CREATED_FIELD_NUMBER: _ClassVar[int]
    name: str
    key: str
    tp: _containers.RepeatedScalarFieldContainer[str]
    server: str
    server_type: str
    rule: str
    rule_version: str
    connections: _containers.RepeatedCompositeFieldContainer[GameConnection]
    parameters: _containers.RepeatedCompositeFieldContainer[GameParameter]
    media_base: str
    created: int
    def __init__(self, name: _Optional[str] = ..., key: _Optional[str] = ..., tp: _Optional[_Iterable[str]] = ..., server: _Optional[str] = ..., server_type: _Optional[str] = ..., rule: _Optional[str] = ..., rule_version: _Optional[str] = ..., connections: _Optional[_Iterable[_Union[GameConnection, _Mapping]]] = ..., parameters: _Optional[_Iterable[_Union[GameParameter, _Mapping]]] = ..., media_base: _Optional[str] = ..., created: _Optional[int] = ...) -> None: ...

class GameConnection(_message.Message):
    __slots__ = ("type", "dns", "ip", "port")
    TYPE_FIELD_NUMBER: _ClassVar[int]
    DNS_FIELD_NUMBER: _ClassVar[int]
    IP_FIELD_NUMBER: _ClassVar[int]
    PORT_FIELD_NUMBER: _ClassVar[int]
    type: str
    dns: str
    ip: str
    port: int
    def __init__(self, type: _Optional[str] = ..., dns: _Optional[str] = ..., ip: _Optional[str] = ..., port: _Optional[int] = ...) -> None: ...

class GameParameter(_message.Message):
    __slots__ = ("id", "string_value", "int_value")
    ID_FIELD_NUMBER: _ClassVar[int]
    STRING_VALUE_FIELD_NUMBER: _ClassVar[int]
    INT_VALUE_FIELD_NUMBER: _ClassVar[int]
    id: int
    string_value: str
    int_value: int
    def __init__(self, id: _Optional[int] = ..., string_value: _Optional[str] = ..., int_value: _Optional[int] = ...) -> None: ...

class GetTimeRemaining(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class TimeRemaining(_message.Message):
    __slots__ = ("time", "reason", "turn", "turn_name", "waiting", "watch_delay", "present_turn")
    TIME_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    TURN_NAME_FIELD_NUMBER: _ClassVar[int]
    WAITING_FIELD_NUMBER: _ClassVar[int]
    WATCH_DELAY_FIELD_NUMBER: _ClassVar[int]
    PRESENT_TURN_FIELD_NUMBER: _ClassVar[int]
    time: int
    reason: int
    turn: int
    turn_name: str
    waiting: _containers.RepeatedScalarFieldContainer[int]
    watch_delay: int
    present_turn: int
    def __init__(self, time: _Optional[int] = ..., reason: _Optional[int] = ..., turn: _Optional[int] = ..., turn_name: _Optional[str] = ..., waiting: _Optional[_Iterable[int]] = ..., watch_delay: _Optional[int] = ..., present_turn: _Optional[int] = ...) -> None: ...

class FinishedTurn(_message.Message):
    __slots__ = ("turn",)
    TURN_FIELD_NUMBER: _ClassVar[int]
    turn: int
    def __init__(self, turn: _Optional[int] = ...) -> None: ...

class UnfinishTurn(_message.Message):
    __slots__ = ("turn",)
    TURN_FIELD_NUMBER: _ClassVar[int]
    turn: int
    def __init__(self, turn: _Optional[int] = ...) -> None: ...

class Player(_message.Message):
    __slots__ = ("id", "name", "race", "modtime")
    ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    RACE_FIELD_NUMBER: _ClassVar[int]
    MODTIME_FIELD_NUMBER: _ClassVar[int]
    id: int
    name: str
    race: str
    modtime: int
    def __init__(self, id: _Optional[int] = ..., name: _Optional[str] = ..., race: _Optional[str] = ..., modtime: _Optional[int] = ...) -> None: ...

class Vector(_message.Message):
    __slots__ = ("x", "y", "z")
    X_FIELD_NUMBER: _ClassVar[int]
    Y_FIELD_NUMBER: _ClassVar[int]
    Z_FIELD_NUMBER: _ClassVar[int]
    x: int
    y: int
    z: int
    def __init__(self, x: _Optional[int] = ..., y: _Optional[int] = ..., z: _Optional[int] = ...) -> None: ...

class GetObjectsByPos(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetObjectIDsByPos(_message.Message):
    __slots__ = ("pos", "r")
    POS_FIELD_NUMBER: _ClassVar[int]
    R_FIELD_NUMBER: _ClassVar[int]
    pos: Vector
    r: int
    def __init__(self, pos: _Optional[_Union[Vector, _Mapping]] = ..., r: _Optional[int] = ...) -> None: ...

class GetObjectIDsByContainer(_message.Message):
    __slots__ = ("id",)
    ID_FIELD_NUMBER: _ClassVar[int]
    id: int
    def __init__(self, id: _Optional[int] = ...) -> None: ...

class Object(_message.Message):
    __slots__ = ("id", "otype", "name", "desc", "parent", "contains", "modtime", "parameters")
    ID_FIELD_NUMBER: _ClassVar[int]
    OTYPE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    DESC_FIELD_NUMBER: _ClassVar[int]
    PARENT_FIELD_NUMBER: _ClassVar[int]
    CONTAINS_FIELD_NUMBER: _ClassVar[int]
    MODTIME_FIELD_NUMBER: _ClassVar[int]
    PARAMETERS_FIELD_NUMBER: _ClassVar[int]
    id: int
    otype: int
    name: str
    desc: str
    parent: int
    contains: _containers.RepeatedScalarFieldContainer[int]
    modtime: int
    parameters: _containers.RepeatedCompositeFieldContainer[ObjectParameter]
    def __init__(self, id: _Optional[int] = ..., otype: _Optional[int] = ..., name: _Optional[str] = ..., desc: _Optional[str] = ..., parent: _Optional[int] = ..., contains: _Optional[_Iterable[int]] = ..., modtime: _Optional[int] = ..., parameters: _Optional[_Iterable[_Union[ObjectParameter, _Mapping]]] = ...) -> None: ...

class ObjectParameter(_message.Message):
    __slots__ = ("position", "velocity", "acceleration", "bound_position", "order_queue", "resource_list", "reference", "reference_quantity_list", "integer", "size", "media")
    POSITION_FIELD_NUMBER: _ClassVar[int]
    VELOCITY_FIELD_NUMBER: _ClassVar[int]
    ACCELERATION_FIELD_NUMBER: _ClassVar[int]
    BOUND_POSITION_FIELD_NUMBER: _ClassVar[int]
    ORDER_QUEUE_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_LIST_FIELD_NUMBER: _ClassVar[int]
    REFERENCE_FIELD_NUMBER: _ClassVar[int]
    REFERENCE_QUANTITY_LIST_FIELD_NUMBER: _ClassVar[int]
    INTEGER_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    MEDIA_FIELD_NUMBER: _ClassVar[int]
    position: RelativeVector
    velocity: RelativeVector
    acceleration: RelativeVector
    bound_position: BoundPosition
    order_queue: ObjectOrderQueue
    resource_list: ObjectResourceList
    reference: Reference
    reference_quantity_list: ReferenceQuantityList
    integer: ObjectInteger
    size: ObjectSize
    media: ObjectMedia
    def __init__(self, position: _Optional[_Union[RelativeVector, _Mapping]] = ..., velocity: _Optional[_Union[RelativeVector, _Mapping]] = ..., acceleration: _Optional[_Union[RelativeVector, _Mapping]] = ..., bound_position: _Optional[_Union[BoundPosition, _Mapping]] = ..., order_queue: _Optional[_Union[ObjectOrderQueue, _Mapping]] = ..., resource_list: _Optional[_Union[ObjectResourceList, _Mapping]] = ..., reference: _Optional[_Union[Reference, _Mapping]] = ..., reference_quantity_list: _Optional[_Union[ReferenceQuantityList, _Mapping]] = ..., integer: _Optional[_Union[ObjectInteger, _Mapping]] = ..., size: _Optional[_Union[ObjectSize, _Mapping]] = ..., media: _Optional[_Union[ObjectMedia, _Mapping]] = ...) -> None: ...

class RelativeVector(_message.Message):
    __slots__ = ("vector", "relative")
    VECTOR_FIELD_NUMBER: _ClassVar[int]
    RELATIVE_FIELD_NUMBER: _ClassVar[int]
    vector: Vector
    relative: int
    def __init__(self, vector: _Optional[_Union[Vector, _Mapping]] = ..., relative: _Optional[int] = ...) -> None: ...

class BoundPosition(_message.Message):
    __slots__ = ("slot",)
    SLOT_FIELD_NUMBER: _ClassVar[int]
    slot: int
    def __init__(self, slot: _Optional[int] = ...) -> None: ...

class ObjectOrderQueue(_message.Message):
    __slots__ = ("queue_id",)
    QUEUE_ID_FIELD_NUMBER: _ClassVar[int]
    queue_id: int
    def __init__(self, queue_id: _Optional[int] = ...) -> None: ...

class ObjectResourceList(_message.Message):
    __slots__ = ("resources",)
    RESOURCES_FIELD_NUMBER: _ClassVar[int]
    resources: _containers.RepeatedCompositeFieldContainer[ObjectResource]
    def __init__(self, resources: _Optional[_Iterable[_Union[ObjectResource, _Mapping]]] = ...) -> None: ...

class ObjectResource(_message.Message):
    __slots__ = ("id", "stored", "minable", "unavailable")
    ID_FIELD_NUMBER: _ClassVar[int]
    STORED_FIELD_NUMBER: _ClassVar[int]
    MINABLE_FIELD_NUMBER: _ClassVar[int]
    UNAVAILABLE_FIELD_NUMBER: _ClassVar[int]
    id: int
    stored: int
    minable: int
    unavailable: int
    def __init__(self, id: _Optional[int] = ..., stored: _Optional[int] = ..., minable: _Optional[int] = ..., unavailable: _Optional[int] = ...) -> None: ...

class ReferenceQuantityList(_message.Message):
    __slots__ = ("references",)
    REFERENCES_FIELD_NUMBER: _ClassVar[int]
    references: _containers.RepeatedCompositeFieldContainer[ReferenceQuantity]
    def __init__(self, references: _Optional[_Iterable[_Union[ReferenceQuantity, _Mapping]]] = ...) -> None: ...

class ReferenceQuantity(_message.Message):
    __slots__ = ("type", "id", "number")
    TYPE_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    type: int
    id: int
    number: int
    def __init__(self, type: _Optional[int] = ..., id: _Optional[int] = ..., number: _Optional[int] = ...) -> None: ...

class ObjectInteger(_message.Message):
    __slots__ = ("value",)
    VALUE_FIELD_NUMBER: _ClassVar[int]
    value: int
    def __init__(self, value: _Optional[int] = ...) -> None: ...

class ObjectSize(_message.Message):
    __slots__ = ("size",)
    SIZE_FIELD_NUMBER: _ClassVar[int]
    size: int
    def __init__(self, size: _Optional[int] = ...) -> None: ...

class ObjectMedia(_message.Message):
    __slots__ = ("url",)
    URL_FIELD_NUMBER: _ClassVar[int]
    url: str
    def __init__(self, url: _Optional[str] = ...) -> None: ...

class ObjectDesc(_message.Message):
    __slots__ = ("id", "name", "description", "modtime", "property_groups")
    ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    MODTIME_FIELD_NUMBER: _ClassVar[int]
    PROPERTY_GROUPS_FIELD_NUMBER: _ClassVar[int]
    id: int
    name: str
    description: str
    modtime: int
    property_groups: _containers.RepeatedCompositeFieldContainer[PropertyGroup]
    def __init__(self, id: _Optional[int] = ..., name: _Optional[str] = ..., description: _Optional[str] = ..., modtime: _Optional[int] = ..., property_groups: _Optional[_Iterable[_Union[PropertyGroup, _Mapping]]] = ...) -> None: ...

class PropertyGroup(_message.Message):
    __slots__ = ("id", "name", "description", "parameters")
    ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    PARAMETERS_FIELD_NUMBER: _ClassVar[int]
    id: int
    name: str
    description: str
    parameters: _containers.RepeatedCompositeFieldContainer[ParameterDesc]
    def __init__(self, id: _Optional[int] = ..., name: _Optional[str] = ..., description: _Optional[str] = ..., parameters: _Optional[_Iterable[_Union[ParameterDesc, _Mapping]]] = ...) -> None: ...

class ParameterDesc(_message.Message):
    __slots__ = ("name", "type", "description")
    NAME_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    name: str
    type: int
    description: str
    def __init__(self, name: _Optional[str] = ..., type: _Optional[int] = ..., description: _Optional[str] = ...) -> None: ...

class ClassicObject(_message.Message):
    __slots__ = ("id", "otype", "name", "size", "position", "velocity", "contains", "order_types", "orders", "modtime", "universe", "galaxy", "star_system", "planet", "fleet", "wormhole")
    ID_FIELD_NUMBER: _ClassVar[int]
    OTYPE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    VELOCITY_FIELD_NUMBER: _ClassVar[int]
    CONTAINS_FIELD_NUMBER: _ClassVar[int]
    ORDER_TYPES_FIELD_NUMBER: _ClassVar[int]
    ORDERS_FIELD_NUMBER: _ClassVar[int]
    MODTIME_FIELD_NUMBER: _ClassVar[int]
    UNIVERSE_FIELD_NUMBER: _ClassVar[int]
    GALAXY_FIELD_NUMBER: _ClassVar[int]
    STAR_SYSTEM_FIELD_NUMBER: _ClassVar[int]
    PLANET_FIELD_NUMBER: _ClassVar[int]
    FLEET_FIELD_NUMBER: _ClassVar[int]
    WORMHOLE_FIELD_NUMBER: _ClassVar[int]
    id: int
    otype: int
    name: str
    size: int
    position: Vector
    velocity: Vector
    contains: _containers.RepeatedScalarFieldContainer[int]
    order_types: _containers.RepeatedScalarFieldContainer[int]
    orders: int
    modtime: int
    universe: ClassicUniverse
    galaxy: ClassicGalaxy
    star_system: ClassicStarSystem
    planet: ClassicPlanet
    fleet: ClassicFleet
    wormhole: ClassicWormhole
    def __init__(self, id: _Optional[int] = ..., otype: _Optional[int] = ..., name: _Optional[str] = ..., size: _Optional[int] = ..., position: _Optional[_Union[Vector, _Mapping]] = ..., velocity: _Optional[_Union[Vector, _Mapping]] = ..., contains: _Optional[_Iterable[int]] = ..., order_types: _Optional[_Iterable[int]] = ..., orders: _Optional[int] = ..., modtime: _Optional[int] = ..., universe: _Optional[_Union[ClassicUniverse, _Mapping]] = ..., galaxy: _Optional[_Union[ClassicGalaxy, _Mapping]] = ..., star_system: _Optional[_Union[ClassicStarSystem, _Mapping]] = ..., planet: _Optional[_Union[ClassicPlanet, _Mapping]] = ..., fleet: _Optional[_Union[ClassicFleet, _Mapping]] = ..., wormhole: _Optional[_Union[ClassicWormhole, _Mapping]] = ...) -> None: ...

class ClassicUniverse(_message.Message):
    __slots__ = ("age",)
    AGE_FIELD_NUMBER: _ClassVar[int]
    age: int
    def __init__(self, age: _Optional[int] = ...) -> None: ...

class ClassicGalaxy(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ClassicStarSystem(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ClassicPlanet(_message.Message):
    __slots__ = ("owner", "resources")
    OWNER_FIELD_NUMBER: _ClassVar[int]
    RESOURCES_FIELD_NUMBER: _ClassVar[int]
    owner: int
    resources: _containers.RepeatedCompositeFieldContainer[ObjectResource]
    def __init__(self, owner: _Optional[int] = ..., resources: _Optional[_Iterable[_Union[ObjectResource, _Mapping]]] = ...) -> None: ...

class ClassicFleet(_message.Message):
    __slots__ = ("owner", "ships", "damage")
    OWNER_FIELD_NUMBER: _ClassVar[int]
    SHIPS_FIELD_NUMBER: _ClassVar[int]
    DAMAGE_FIELD_NUMBER: _ClassVar[int]
    owner: int
    ships: _containers.RepeatedCompositeFieldContainer[ShipCount]
    damage: int
    def __init__(self, owner: _Optional[int] = ..., ships: _Optional[_Iterable[_Union[ShipCount, _Mapping]]] = ..., damage: _Optional[int] = ...) -> None: ...

class ShipCount(_message.Message):
    __slots__ = ("type", "count")
    TYPE_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    type: int
    count: int
    def __init__(self, type: _Optional[int] = ..., count: _Optional[int] = ...) -> None: ...

class ClassicWormhole(_message.Message):
    __slots__ = ("end",)
    END_FIELD_NUMBER: _ClassVar[int]
    end: Vector
    def __init__(self, end: _Optional[_Union[Vector, _Mapping]] = ...) -> None: ...

class OrderQueue(_message.Message):
    __slots__ = ("id", "serial", "max_slots", "num_orders", "order_types")
    ID_FIELD_NUMBER: _ClassVar[int]
    SERIAL_FIELD_NUMBER: _ClassVar[int]
    MAX_SLOTS_FIELD_NUMBER: _ClassVar[int]
    NUM_ORDERS_FIELD_NUMBER: _ClassVar[int]
    ORDER_TYPES_FIELD_NUMBER: _ClassVar[int]
    id: int
    serial: int
    max_slots: int
    num_orders: int
    order_types: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, id: _Optional[int] = ..., serial: _Optional[int] = ..., max_slots: _Optional[int] = ..., num_orders: _Optional[int] = ..., order_types: _Optional[_Iterable[int]] = ...) -> None: ...

class OrderDesc(_message.Message):
    __slots__ = ("id", "name", "description", "parameters", "modtime")
    ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    PARAMETERS_FIELD_NUMBER: _ClassVar[int]
    MODTIME_FIELD_NUMBER: _ClassVar[int]
    id: int
    name: str
    description: str
    parameters: _containers.RepeatedCompositeFieldContainer[ParameterDesc]
    modtime: int
    def __init__(self, id: _Optional[int] = ..., name: _Optional[str] = ..., description: _Optional[str] = ..., parameters: _Optional[_Iterable[_Union[ParameterDesc, _Mapping]]] = ..., modtime: _Optional[int] = ...) -> None: ...

class Order(_message.Message):
    __slots__ = ("id", "slot", "otype", "turns", "resources", "parameters", "turn", "judged")
    ID_FIELD_NUMBER: _ClassVar[int]
    SLOT_FIELD_NUMBER: _ClassVar[int]
    OTYPE_FIELD_NUMBER: _ClassVar[int]
    TURNS_FIELD_NUMBER: _ClassVar[int]
    RESOURCES_FIELD_NUMBER: _ClassVar[int]
    PARAMETERS_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    JUDGED_FIELD_NUMBER: _ClassVar[int]
    id: int
    slot: int
    otype: int
    turns: int
    resources: _containers.RepeatedCompositeFieldContainer[ResourceAmount]
    parameters: _containers.RepeatedCompositeFieldContainer[OrderParameter]
    turn: int
    judged: int
    def __init__(self, id: _Optional[int] = ..., slot: _Optional[int] = ..., otype: _Optional[int] = ..., turns: _Optional[int] = ..., resources: _Optional[_Iterable[_Union[ResourceAmount, _Mapping]]] = ..., parameters: _Optional[_Iterable[_Union[OrderParameter, _Mapping]]] = ..., turn: _Optional[int] = ..., judged: _Optional[int] = ...) -> None: ...

class ResourceAmount(_message.Message):
    __slots__ = ("id", "amount")
    ID_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_FIELD_NUMBER: _ClassVar[int]
    id: int
    amount: int
    def __init__(self, id: _Optional[int] = ..., amount: _Optional[int] = ...) -> None: ...

class OrderParameter(_message.Message):
    __slots__ = ("coordinates", "time", "object", "player", "relative_coordinates", "range", "list", "string", "reference", "reference_list", "resource_list", "quantity_list")
    COORDINATES_FIELD_NUMBER: _ClassVar[int]
    TIME_FIELD_NUMBER: _ClassVar[int]
    OBJECT_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    RELATIVE_COORDINATES_FIELD_NUMBER: _ClassVar[int]
    RANGE_FIELD_NUMBER: _ClassVar[int]
    LIST_FIELD_NUMBER: _ClassVar[int]
    STRING_FIELD_NUMBER: _ClassVar[int]
    REFERENCE_FIELD_NUMBER: _ClassVar[int]
    REFERENCE_LIST_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_LIST_FIELD_NUMBER: _ClassVar[int]
    QUANTITY_LIST_FIELD_NUMBER: _ClassVar[int]
    coordinates: Vector
    time: OrderTime
    object: OrderObject
    player: OrderPlayer
    relative_coordinates: OrderRelativeCoordinates
    range: OrderRange
    list: OrderList
    string: OrderString
    reference: OrderReference
    reference_list: OrderReferenceList
    resource_list: OrderResourceList
    quantity_list: OrderQuantityList
    def __init__(self, coordinates: _Optional[_Union[Vector, _Mapping]] = ..., time: _Optional[_Union[OrderTime, _Mapping]] = ..., object: _Optional[_Union[OrderObject, _Mapping]] = ..., player: _Optional[_Union[OrderPlayer, _Mapping]] = ..., relative_coordinates: _Optional[_Union[OrderRelativeCoordinates, _Mapping]] = ..., range: _Optional[_Union[OrderRange, _Mapping]] = ..., list: _Optional[_Union[OrderList, _Mapping]] = ..., string: _Optional[_Union[OrderString, _Mapping]] = ..., reference: _Optional[_Union[OrderReference, _Mapping]] = ..., reference_list: _Optional[_Union[OrderReferenceList, _Mapping]] = ..., resource_list: _Optional[_Union[OrderResourceList, _Mapping]] = ..., quantity_list: _Optional[_Union[OrderQuantityList, _Mapping]] = ...) -> None: ...

class OrderTime(_message.Message):
    __slots__ = ("turns", "max_time")
    TURNS_FIELD_NUMBER: _ClassVar[int]
    MAX_TIME_FIELD_NUMBER: _ClassVar[int]
    turns: int
    max_time: int
    def __init__(self, turns: _Optional[int] = ..., max_time: _Optional[int] = ...) -> None: ...

class OrderObject(_message.Message):
    __slots__ = ("object_id", "valid_types")
    OBJECT_ID_FIELD_NUMBER: _ClassVar[int]
    VALID_TYPES_FIELD_NUMBER: _ClassVar[int]
    object_id: int
    valid_types: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, object_id: _Optional[int] = ..., valid_types: _Optional[_Iterable[int]] = ...) -> None: ...

class OrderPlayer(_message.Message):
    __slots__ = ("player_id", "mask")
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    MASK_FIELD_NUMBER: _ClassVar[int]
    player_id: int
    mask: int
    def __init__(self, player_id: _Optional[int] = ..., mask: _Optional[int] = ...) -> None: ...

class OrderRelativeCoordinates(_message.Message):
    __slots__ = ("object_id", "pos")
    OBJECT_ID_FIELD_NUMBER: _ClassVar[int]
    POS_FIELD_NUMBER: _ClassVar[int]
    object_id: int
    pos: Vector
    def __init__(self, object_id: _Optional[int] = ..., pos: _Optional[_Union[Vector, _Mapping]] = ...) -> None: ...

class OrderRange(_message.Message):
    __slots__ = ("value", "min_value", "max_value", "increment")
    VALUE_FIELD_NUMBER: _ClassVar[int]
    MIN_VALUE_FIELD_NUMBER: _ClassVar[int]
    MAX_VALUE_FIELD_NUMBER: _ClassVar[int]
    INCREMENT_FIELD_NUMBER: _ClassVar[int]
    value: int
    min_value: int
    max_value: int
    increment: int
    def __init__(self, value: _Optional[int] = ..., min_value: _Optional[int] = ..., max_value: _Optional[int] = ..., increment: _Optional[int] = ...) -> None: ...

class OrderList(_message.Message):
    __slots__ = ("possible_selections", "selection")
    POSSIBLE_SELECTIONS_FIELD_NUMBER: _ClassVar[int]
    SELECTION_FIELD_NUMBER: _ClassVar[int]
    possible_selections: _containers.RepeatedCompositeFieldContainer[PossibleSelection]
    selection: _containers.RepeatedCompositeFieldContainer[Selection]
    def __init__(self, possible_selections: _Optional[_Iterable[_Union[PossibleSelection, _Mapping]]] = ..., selection: _Optional[_Iterable[_Union[Selection, _Mapping]]] = ...) -> None: ...

class PossibleSelection(_message.Message):
    __slots__ = ("id", "name", "max_number")
    ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    MAX_NUMBER_FIELD_NUMBER: _ClassVar[int]
    id: int
    name: str
    max_number: int
    def __init__(self, id: _Optional[int] = ..., name: _Optional[str] = ..., max_number: _Optional[int] = ...) -> None: ...

class Selection(_message.Message):
    __slots__ = ("id", "number")
    ID_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    id: int
    number: int
    def __init__(self, id: _Optional[int] = ..., number: _Optional[int] = ...) -> None: ...

class OrderString(_message.Message):
    __slots__ = ("max_length", "string")
    MAX_LENGTH_FIELD_NUMBER: _ClassVar[int]
    STRING_FIELD_NUMBER: _ClassVar[int]
    max_length: int
    string: str
    def __init__(self, max_length: _Optional[int] = ..., string: _Optional[str] = ...) -> None: ...

class OrderReference(_message.Message):
    __slots__ = ("reference", "allowed")
    REFERENCE_FIELD_NUMBER: _ClassVar[int]
    ALLOWED_FIELD_NUMBER: _ClassVar[int]
    reference: int
    allowed: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, reference: _Optional[int] = ..., allowed: _Optional[_Iterable[int]] = ...) -> None: ...

class OrderReferenceList(_message.Message):
    __slots__ = ("references", "allowed")
    REFERENCES_FIELD_NUMBER: _ClassVar[int]
    ALLOWED_FIELD_NUMBER: _ClassVar[int]
    references: _containers.RepeatedScalarFieldContainer[int]
    allowed: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, references: _Optional[_Iterable[int]] = ..., allowed: _Optional[_Iterable[int]] = ...) -> None: ...

class OrderResourceList(_message.Message):
    __slots__ = ("allowed", "max_mass", "max_volume", "selected")
    ALLOWED_FIELD_NUMBER: _ClassVar[int]
    MAX_MASS_FIELD_NUMBER: _ClassVar[int]
    MAX_VOLUME_FIELD_NUMBER: _ClassVar[int]
    SELECTED_FIELD_NUMBER: _ClassVar[int]
    allowed: _containers.RepeatedCompositeFieldContainer[ResourceMaximum]
    max_mass: int
    max_volume: int
    selected: _containers.RepeatedCompositeFieldContainer[ResourceQuantity]
    def __init__(self, allowed: _Optional[_Iterable[_Union[ResourceMaximum, _Mapping]]] = ..., max_mass: _Optional[int] = ..., max_volume: _Optional[int] = ..., selected: _Optional[_Iterable[_Union[ResourceQuantity, _Mapping]]] = ...) -> None: ...

class ResourceMaximum(_message.Message):
    __slots__ = ("resource_id", "maximum")
    RESOURCE_ID_FIELD_NUMBER: _ClassVar[int]
    MAXIMUM_FIELD_NUMBER: _ClassVar[int]
    resource_id: int
    maximum: int
    def __init__(self, resource_id: _Optional[int] = ..., maximum: _Optional[int] = ...) -> None: ...

class ResourceQuantity(_message.Message):
    __slots__ = ("resource_id", "quantity")
    RESOURCE_ID_FIELD_NUMBER: _ClassVar[int]
    QUANTITY_FIELD_NUMBER: _ClassVar[int]
    resource_id: int
    quantity: int
    def __init__(self, resource_id: _Optional[int] = ..., quantity: _Optional[int] = ...) -> None: ...

class OrderQuantityList(_message.Message):
    __slots__ = ("weight_maximums", "possibles", "selection")
    WEIGHT_MAXIMUMS_FIELD_NUMBER: _ClassVar[int]
    POSSIBLES_FIELD_NUMBER: _ClassVar[int]
    SELECTION_FIELD_NUMBER: _ClassVar[int]
    weight_maximums: _containers.RepeatedCompositeFieldContainer[WeightMaximum]
    possibles: _containers.RepeatedCompositeFieldContainer[QuantityOption]
    selection: _containers.RepeatedCompositeFieldContainer[Selection]
    def __init__(self, weight_maximums: _Optional[_Iterable[_Union[WeightMaximum, _Mapping]]] = ..., possibles: _Optional[_Iterable[_Union[QuantityOption, _Mapping]]] = ..., selection: _Optional[_Iterable[_Union[Selection, _Mapping]]] = ...) -> None: ...

class WeightMaximum(_message.Message):
    __slots__ = ("maximum", "references")
    MAXIMUM_FIELD_NUMBER: _ClassVar[int]
    REFERENCES_FIELD_NUMBER: _ClassVar[int]
    maximum: int
    references: _containers.RepeatedCompositeFieldContainer[Reference]
    def __init__(self, maximum: _Optional[int] = ..., references: _Optional[_Iterable[_Union[Reference, _Mapping]]] = ...) -> None: ...

class QuantityOption(_message.Message):
    __slots__ = ("id", "name", "maximum", "references", "weights")
    ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    MAXIMUM_FIELD_NUMBER: _ClassVar[int]
    REFERENCES_FIELD_NUMBER: _ClassVar[int]
    WEIGHTS_FIELD_NUMBER: _ClassVar[int]
    id: int
    name: str
    maximum: int
    references: _containers.RepeatedCompositeFieldContainer[Reference]
    weights: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, id: _Optional[int] = ..., name: _Optional[str] = ..., maximum: _Optional[int] = ..., references: _Optional[_Iterable[_Union[Reference, _Mapping]]] = ..., weights: _Optional[_Iterable[int]] = ...) -> None: ...

class Board(_message.Message):
    __slots__ = ("id", "name", "description", "messages", "modtime")
    ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    MODTIME_FIELD_NUMBER: _ClassVar[int]
    id: int
    name: str
    description: str
    messages: int
    modtime: int
    def __init__(self, id: _Optional[int] = ..., name: _Optional[str] = ..., description: _Optional[str] = ..., messages: _Optional[int] = ..., modtime: _Optional[int] = ...) -> None: ...

class Message(_message.Message):
    __slots__ = ("id", "slot", "types", "subject", "body", "turn", "references", "writer")
    ID_FIELD_NUMBER: _ClassVar[int]
    SLOT_FIELD_NUMBER: _ClassVar[int]
    TYPES_FIELD_NUMBER: _ClassVar[int]
    SUBJECT_FIELD_NUMBER: _ClassVar[int]
    BODY_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    REFERENCES_FIELD_NUMBER: _ClassVar[int]
    WRITER_FIELD_NUMBER: _ClassVar[int]
    id: int
    slot: int
    types: _containers.RepeatedScalarFieldContainer[int]
    subject: str
    body: str
    turn: int
    references: _containers.RepeatedCompositeFieldContainer[Reference]
    writer: str
    def __init__(self, id: _Optional[int] = ..., slot: _Optional[int] = ..., types: _Optional[_Iterable[int]] = ..., subject: _Optional[str] = ..., body: _Optional[str] = ..., turn: _Optional[int] = ..., references: _Optional[_Iterable[_Union[Reference, _Mapping]]] = ..., writer: _Optional[str] = ...) -> None: ...

class Resource(_message.Message):
    __slots__ = ("id", "singular_name", "plural_name", "singular_unit", "plural_unit", "description", "weight", "size", "modtime")
    ID_FIELD_NUMBER: _ClassVar[int]
    SINGULAR_NAME_FIELD_NUMBER: _ClassVar[int]
    PLURAL_NAME_FIELD_NUMBER: _ClassVar[int]
    SINGULAR_UNIT_FIELD_NUMBER: _ClassVar[int]
    PLURAL_UNIT_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    WEIGHT_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    MODTIME_FIELD_NUMBER: _ClassVar[int]
    id: int
    singular_name: str
    plural_name: str
    singular_unit: str
    plural_unit: str
    description: str
    weight: int
    size: int
    modtime: int
    def __init__(self, id: _Optional[int] = ..., singular_name: _Optional[str] = ..., plural_name: _Optional[str] = ..., singular_unit: _Optional[str] = ..., plural_unit: _Optional[str] = ..., description: _Optional[str] = ..., weight: _Optional[int] = ..., size: _Optional[int] = ..., modtime: _Optional[int] = ...) -> None: ...

class Category(_message.Message):
    __slots__ = ("id", "modtime", "name", "description")
    ID_FIELD_NUMBER: _ClassVar[int]
    MODTIME_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    id: int
    modtime: int
    name: str
    description: str
    def __init__(self, id: _Optional[int] = ..., modtime: _Optional[int] = ..., name: _Optional[str] = ..., description: _Optional[str] = ...) -> None: ...

class Design(_message.Message):
    __slots__ = ("id", "modtime", "categories", "name", "description", "usage", "owner", "components", "feedback", "properties")
    ID_FIELD_NUMBER: _ClassVar[int]
    MODTIME_FIELD_NUMBER: _ClassVar[int]
    CATEGORIES_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    USAGE_FIELD_NUMBER: _ClassVar[int]
    OWNER_FIELD_NUMBER: _ClassVar[int]
    COMPONENTS_FIELD_NUMBER: _ClassVar[int]
    FEEDBACK_FIELD_NUMBER: _ClassVar[int]
    PROPERTIES_FIELD_NUMBER: _ClassVar[int]
    id: int
    modtime: int
    categories: _containers.RepeatedScalarFieldContainer[int]
    name: str
    description: str
    usage: int
    owner: int
    components: _containers.RepeatedCompositeFieldContainer[DesignComponent]
    feedback: str
    properties: _containers.RepeatedCompositeFieldContainer[DesignProperty]
    def __init__(self, id: _Optional[int] = ..., modtime: _Optional[int] = ..., categories: _Optional[_Iterable[int]] = ..., name: _Optional[str] = ..., description: _Optional[str] = ..., usage: _Optional[int] = ..., owner: _Optional[int] = ..., components: _Optional[_Iterable[_Union[DesignComponent, _Mapping]]] = ..., feedback: _Optional[str] = ..., properties: _Optional[_Iterable[_Union[DesignProperty, _Mapping]]] = ...) -> None: ...

class DesignComponent(_message.Message):
    __slots__ = ("id", "number")
    ID_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    id: int
    number: int
    def __init__(self, id: _Optional[int] = ..., number: _Optional[int] = ...) -> None: ...

class DesignProperty(_message.Message):
    __slots__ = ("id", "value")
    ID_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    id: int
    value: str
    def __init__(self, id: _Optional[int] = ..., value: _Optional[str] = ...) -> None: ...

class Component(_message.Message):
    __slots__ = ("id", "modtime", "categories", "name", "description", "requirements", "properties")
    ID_FIELD_NUMBER: _ClassVar[int]
    MODTIME_FIELD_NUMBER: _ClassVar[int]
    CATEGORIES_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    REQUIREMENTS_FIELD_NUMBER: _ClassVar[int]
    PROPERTIES_FIELD_NUMBER: _ClassVar[int]
    id: int
    modtime: int
    categories: _containers.RepeatedScalarFieldContainer[int]
    name: str
    description: str
    requirements: str
    properties: _containers.RepeatedCompositeFieldContainer[ComponentProperty]
    def __init__(self, id: _Optional[int] = ..., modtime: _Optional[int] = ..., categories: _Optional[_Iterable[int]] = ..., name: _Optional[str] = ..., description: _Optional[str] = ..., requirements: _Optional[str] = ..., properties: _Optional[_Iterable[_Union[ComponentProperty, _Mapping]]] = ...) -> None: ...

class ComponentProperty(_message.Message):
    __slots__ = ("id", "value_function")
    ID_FIELD_NUMBER: _ClassVar[int]
    VALUE_FUNCTION_FIELD_NUMBER: _ClassVar[int]
    id: int
    value_function: str
    def __init__(self, id: _Optional[int] = ..., value_function: _Optional[str] = ...) -> None: ...

class Property(_message.Message):
    __slots__ = ("id", "modtime", "categories", "rank", "name", "display_name", "description", "calculate_function", "requirement_function")
    ID_FIELD_NUMBER: _ClassVar[int]
    MODTIME_FIELD_NUMBER: _ClassVar[int]
    CATEGORIES_FIELD_NUMBER: _ClassVar[int]
    RANK_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    DISPLAY_NAME_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    CALCULATE_FUNCTION_FIELD_NUMBER: _ClassVar[int]
    REQUIREMENT_FUNCTION_FIELD_NUMBER: _ClassVar[int]
    id: int
    modtime: int
    categories: _containers.RepeatedScalarFieldContainer[int]
    rank: int
    name: str
    display_name: str
    description: str
    calculate_function: str
    requirement_function: str
    def __init__(self, id: _Optional[int] = ..., modtime: _Optional[int] = ..., categories: _Optional[_Iterable[int]] = ..., rank: _Optional[int] = ..., name: _Optional[str] = ..., display_name: _Optional[str] = ..., description: _Optional[str] = ..., calculate_function: _Optional[str] = ..., requirement_function: _Optional[str] = ...) -> None: ...

class GetRules(_message.Message):
    __slots__ = ("ruleset",)
    RULESET_FIELD_NUMBER: _ClassVar[int]
    ruleset: str
    def __init__(self, ruleset: _Optional[str] = ...) -> None: ...

class Rules(_message.Message):
    __slots__ = ("ruleset", "title", "version", "goal", "text")
    RULESET_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    GOAL_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    ruleset: str
    title: str
    version: str
    goal: str
    text: str
    def __init__(self, ruleset: _Optional[str] = ..., title: _Optional[str] = ..., version: _Optional[str] = ..., goal: _Optional[str] = ..., text: _Optional[str] = ...) -> None: ...

class GetAppearance(_message.Message):
    __slots__ = ("ruleset",)
    RULESET_FIELD_NUMBER: _ClassVar[int]
    ruleset: str
    def __init__(self, ruleset: _Optional[str] = ...) -> None: ...

class Appearance(_message.Message):
    __slots__ = ("ruleset", "version", "players", "cells", "places", "boards", "hand", "object_types", "designs", "resources", "orders")
    RULESET_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    PLAYERS_FIELD_NUMBER: _ClassVar[int]
    CELLS_FIELD_NUMBER: _ClassVar[int]
    PLACES_FIELD_NUMBER: _ClassVar[int]
    BOARDS_FIELD_NUMBER: _ClassVar[int]
    HAND_FIELD_NUMBER: _ClassVar[int]
    OBJECT_TYPES_FIELD_NUMBER: _ClassVar[int]
    DESIGNS_FIELD_NUMBER: _ClassVar[int]
    RESOURCES_FIELD_NUMBER: _ClassVar[int]
    ORDERS_FIELD_NUMBER: _ClassVar[int]
    ruleset: str
    version: str
    players: _containers.RepeatedScalarFieldContainer[str]
    cells: int
    places: str
    boards: _containers.RepeatedCompositeFieldContainer[BoardName]
    hand: str
    object_types: _containers.RepeatedCompositeFieldContainer[Look]
    designs: _containers.RepeatedCompositeFieldContainer[Look]
    resources: _containers.RepeatedCompositeFieldContainer[Look]
    orders: _containers.RepeatedCompositeFieldContainer[OrderWords]
    def __init__(self, ruleset: _Optional[str] = ..., version: _Optional[str] = ..., players: _Optional[_Iterable[str]] = ..., cells: _Optional[int] = ..., places: _Optional[str] = ..., boards: _Optional[_Iterable[_Union[BoardName, _Mapping]]] = ..., hand: _Optional[str] = ..., object_types: _Optional[_Iterable[_Union[Look, _Mapping]]] = ..., designs: _Optional[_Iterable[_Union[Look, _Mapping]]] = ..., resources: _Optional[_Iterable[_Union[Look, _Mapping]]] = ..., orders: _Optional[_Iterable[_Union[OrderWords, _Mapping]]] = ...) -> None: ...

class BoardName(_message.Message):
    __slots__ = ("name", "words")
    NAME_FIELD_NUMBER: _ClassVar[int]
    WORDS_FIELD_NUMBER: _ClassVar[int]
    name: str
    words: str
    def __init__(self, name: _Optional[str] = ..., words: _Optional[str] = ...) -> None: ...

class Look(_message.Message):
    __slots__ = ("id", "symbol", "colour", "badges", "in_hand", "words", "each", "nameless")
    ID_FIELD_NUMBER: _ClassVar[int]
    SYMBOL_FIELD_NUMBER: _ClassVar[int]
    COLOUR_FIELD_NUMBER: _ClassVar[int]
    BADGES_FIELD_NUMBER: _ClassVar[int]
    IN_HAND_FIELD_NUMBER: _ClassVar[int]
    WORDS_FIELD_NUMBER: _ClassVar[int]
    EACH_FIELD_NUMBER: _ClassVar[int]
    NAMELESS_FIELD_NUMBER: _ClassVar[int]
    id: int
    symbol: str
    colour: str
    badges: _containers.RepeatedScalarFieldContainer[int]
    in_hand: bool
    words: str
    each: str
    nameless: bool
    def __init__(self, id: _Optional[int] = ..., symbol: _Optional[str] = ..., colour: _Optional[str] = ..., badges: _Optional[_Iterable[int]] = ..., in_hand: _Optional[bool] = ..., words: _Optional[str] = ..., each: _Optional[str] = ..., nameless: _Optional[bool] = ...) -> None: ...

class OrderWords(_message.Message):
    __slots__ = ("otype", "name", "sentence", "parameters", "stays")
    OTYPE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    SENTENCE_FIELD_NUMBER: _ClassVar[int]
    PARAMETERS_FIELD_NUMBER: _ClassVar[int]
    STAYS_FIELD_NUMBER: _ClassVar[int]
    otype: int
    name: str
    sentence: str
    parameters: _containers.RepeatedScalarFieldContainer[str]
    stays: bool
    def __init__(self, otype: _Optional[int] = ..., name: _Optional[str] = ..., sentence: _Optional[str] = ..., parameters: _Optional[_Iterable[str]] = ..., stays: _Optional[bool] = ...) -> None: ...

class GetStanding(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Standing(_message.Message):
    __slots__ = ("turn", "scores", "regions", "counts_actions", "actions_used", "actions")
    TURN_FIELD_NUMBER: _ClassVar[int]
    SCORES_FIELD_NUMBER: _ClassVar[int]
    REGIONS_FIELD_NUMBER: _ClassVar[int]
    COUNTS_ACTIONS_FIELD_NUMBER: _ClassVar[int]
    ACTIONS_USED_FIELD_NUMBER: _ClassVar[int]
    ACTIONS_FIELD_NUMBER: _ClassVar[int]
    turn: int
    scores: _containers.RepeatedCompositeFieldContainer[PlayerScore]
    regions: _containers.RepeatedCompositeFieldContainer[Region]
    counts_actions: bool
    actions_used: int
    actions: int
    def __init__(self, turn: _Optional[int] = ..., scores: _Optional[_Iterable[_Union[PlayerScore, _Mapping]]] = ..., regions: _Optional[_Iterable[_Union[Region, _Mapping]]] = ..., counts_actions: _Optional[bool] = ..., actions_used: _Optional[int] = ..., actions: _Optional[int] = ...) -> None: ...

class PlayerScore(_message.Message):
    __slots__ = ("id", "figures")
    ID_FIELD_NUMBER: _ClassVar[int]
    FIGURES_FIELD_NUMBER: _ClassVar[int]
    id: int
    figures: _containers.RepeatedCompositeFieldContainer[Figure]
    def __init__(self, id: _Optional[int] = ..., figures: _Optional[_Iterable[_Union[Figure, _Mapping]]] = ...) -> None: ...

class Figure(_message.Message):
    __slots__ = ("name", "number")
    NAME_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    name: str
    number: int
    def __init__(self, name: _Optional[str] = ..., number: _Optional[int] = ...) -> None: ...

class Region(_message.Message):
    __slots__ = ("ids", "owner", "name")
    IDS_FIELD_NUMBER: _ClassVar[int]
    OWNER_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    ids: _containers.RepeatedScalarFieldContainer[int]
    owner: int
    name: str
    def __init__(self, ids: _Optional[_Iterable[int]] = ..., owner: _Optional[int] = ..., name: _Optional[str] = ...) -> None: ...

class GetScores(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Scores(_message.Message):
    __slots__ = ("turns", "lines", "places")
    TURNS_FIELD_NUMBER: _ClassVar[int]
    LINES_FIELD_NUMBER: _ClassVar[int]
    PLACES_FIELD_NUMBER: _ClassVar[int]
    turns: _containers.RepeatedScalarFieldContainer[int]
    lines: _containers.RepeatedCompositeFieldContainer[ScoreLine]
    places: _containers.RepeatedCompositeFieldContainer[FinalPlace]
    def __init__(self, turns: _Optional[_Iterable[int]] = ..., lines: _Optional[_Iterable[_Union[ScoreLine, _Mapping]]] = ..., places: _Optional[_Iterable[_Union[FinalPlace, _Mapping]]] = ...) -> None: ...

class ScoreLine(_message.Message):
    __slots__ = ("id", "name", "start", "numbers")
    ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    START_FIELD_NUMBER: _ClassVar[int]
    NUMBERS_FIELD_NUMBER: _ClassVar[int]
    id: int
    name: str
    start: int
    numbers: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, id: _Optional[int] = ..., name: _Optional[str] = ..., start: _Optional[int] = ..., numbers: _Optional[_Iterable[int]] = ...) -> None: ...

class FinalPlace(_message.Message):
    __slots__ = ("id", "place", "figures")
    ID_FIELD_NUMBER: _ClassVar[int]
    PLACE_FIELD_NUMBER: _ClassVar[int]
    FIGURES_FIELD_NUMBER: _ClassVar[int]
    id: int
    place: int
    figures: _containers.RepeatedCompositeFieldContainer[Figure]
    def __init__(self, id: _Optional[int] = ..., place: _Optional[int] = ..., figures: _Optional[_Iterable[_Union[Figure, _Mapping]]] = ...) -> None: ...

class GetLegalOrders(_message.Message):
    __slots__ = ("ids", "start", "grouped")
    IDS_FIELD_NUMBER: _ClassVar[int]
    START_FIELD_NUMBER: _ClassVar[int]
    GROUPED_FIELD_NUMBER: _ClassVar[int]
    ids: _containers.RepeatedScalarFieldContainer[int]
    start: int
    grouped: bool
    def __init__(self, ids: _Optional[_Iterable[int]] = ..., start: _Optional[int] = ..., grouped: _Optional[bool] = ...) -> None: ...

class LegalOrders(_message.Message):
    __slots__ = ("orders", "following", "groups")
    ORDERS_FIELD_NUMBER: _ClassVar[int]
    FOLLOWING_FIELD_NUMBER: _ClassVar[int]
    GROUPS_FIELD_NUMBER: _ClassVar[int]
    orders: _containers.RepeatedCompositeFieldContainer[LegalOrder]
    following: int
    groups: _containers.RepeatedCompositeFieldContainer[LegalGroup]
    def __init__(self, orders: _Optional[_Iterable[_Union[LegalOrder, _Mapping]]] = ..., following: _Optional[int] = ..., groups: _Optional[_Iterable[_Union[LegalGroup, _Mapping]]] = ...) -> None: ...

class LegalGroup(_message.Message):
    __slots__ = ("otype", "ids", "named", "unsure")
    OTYPE_FIELD_NUMBER: _ClassVar[int]
    IDS_FIELD_NUMBER: _ClassVar[int]
    NAMED_FIELD_NUMBER: _ClassVar[int]
    UNSURE_FIELD_NUMBER: _ClassVar[int]
    otype: int
    ids: _containers.RepeatedScalarFieldContainer[int]
    named: _containers.RepeatedScalarFieldContainer[int]
    unsure: bool
    def __init__(self, otype: _Optional[int] = ..., ids: _Optional[_Iterable[int]] = ..., named: _Optional[_Iterable[int]] = ..., unsure: _Optional[bool] = ...) -> None: ...

class LegalOrder(_message.Message):
    __slots__ = ("id", "otype", "named", "unsure")
    ID_FIELD_NUMBER: _ClassVar[int]
    OTYPE_FIELD_NUMBER: _ClassVar[int]
    NAMED_FIELD_NUMBER: _ClassVar[int]
    UNSURE_FIELD_NUMBER: _ClassVar[int]
    id: int
    otype: int
    named: int
    unsure: bool
    def __init__(self, id: _Optional[int] = ..., otype: _Optional[int] = ..., named: _Optional[int] = ..., unsure: _Optional[bool] = ...) -> None: ...

class GetLegalValues(_message.Message):
    __slots__ = ("id", "otype", "parameters", "start")
    ID_FIELD_NUMBER: _ClassVar[int]
    OTYPE_FIELD_NUMBER: _ClassVar[int]
    PARAMETERS_FIELD_NUMBER: _ClassVar[int]
    START_FIELD_NUMBER: _ClassVar[int]
    id: int
    otype: int
    parameters: _containers.RepeatedCompositeFieldContainer[OrderParameter]
    start: int
    def __init__(self, id: _Optional[int] = ..., otype: _Optional[int] = ..., parameters: _Optional[_Iterable[_Union[OrderParameter, _Mapping]]] = ..., start: _Optional[int] = ...) -> None: ...

class LegalValues(_message.Message):
    __slots__ = ("parameter", "ids", "values", "free", "left_out", "following", "refusal", "doubt")
    PARAMETER_FIELD_NUMBER: _ClassVar[int]
    IDS_FIELD_NUMBER: _ClassVar[int]
    VALUES_FIELD_NUMBER: _ClassVar[int]
    FREE_FIELD_NUMBER: _ClassVar[int]
    LEFT_OUT_FIELD_NUMBER: _ClassVar[int]
    FOLLOWING_FIELD_NUMBER: _ClassVar[int]
    REFUSAL_FIELD_NUMBER: _ClassVar[int]
    DOUBT_FIELD_NUMBER: _ClassVar[int]
    parameter: int
    ids: _containers.RepeatedScalarFieldContainer[int]
    values: _containers.RepeatedCompositeFieldContainer[OrderParameter]
    free: bool
    left_out: int
    following: int
    refusal: str
    doubt: str
    def __init__(self, parameter: _Optional[int] = ..., ids: _Optional[_Iterable[int]] = ..., values: _Optional[_Iterable[_Union[OrderParameter, _Mapping]]] = ..., free: _Optional[bool] = ..., left_out: _Optional[int] = ..., following: _Optional[int] = ..., refusal: _Optional[str] = ..., doubt: _Optional[str] = ...) -> None: ...

class ShowTurn(_message.Message):
    __slots__ = ("turn",)
    TURN_FIELD_NUMBER: _ClassVar[int]
    turn: int
    def __init__(self, turn: _Optional[int] = ...) -> None: ...

class TurnShown(_message.Message):
    __slots__ = ("turn", "turn_name")
    TURN_FIELD_NUMBER: _ClassVar[int]
    TURN_NAME_FIELD_NUMBER: _ClassVar[int]
    turn: int
    turn_name: str
    def __init__(self, turn: _Optional[int] = ..., turn_name: _Optional[str] = ...) -> None: ...

class GetTurnSummaries(_message.Message):
    __slots__ = ("first", "amount")
    FIRST_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_FIELD_NUMBER: _ClassVar[int]
    first: int
    amount: int
    def __init__(self, first: _Optional[int] = ..., amount: _Optional[int] = ...) -> None: ...

class TurnSummary(_message.Message):
    __slots__ = ("turn", "title", "began", "reports")
    TURN_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    BEGAN_FIELD_NUMBER: _ClassVar[int]
    REPORTS_FIELD_NUMBER: _ClassVar[int]
    turn: int
    title: str
    began: int
    reports: _containers.RepeatedCompositeFieldContainer[TurnReport]
    def __init__(self, turn: _Optional[int] = ..., title: _Optional[str] = ..., began: _Optional[int] = ..., reports: _Optional[_Iterable[_Union[TurnReport, _Mapping]]] = ...) -> None: ...

class TurnReport(_message.Message):
    __slots__ = ("player", "failed", "subject", "body", "references")
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    FAILED_FIELD_NUMBER: _ClassVar[int]
    SUBJECT_FIELD_NUMBER: _ClassVar[int]
    BODY_FIELD_NUMBER: _ClassVar[int]
    REFERENCES_FIELD_NUMBER: _ClassVar[int]
    player: int
    failed: bool
    subject: str
    body: str
    references: _containers.RepeatedCompositeFieldContainer[Reference]
    def __init__(self, player: _Optional[int] = ..., failed: _Optional[bool] = ..., subject: _Optional[str] = ..., body: _Optional[str] = ..., references: _Optional[_Iterable[_Union[Reference, _Mapping]]] = ...) -> None: ...

class LoginAccount(_message.Message):
    __slots__ = ("username", "password")
    USERNAME_FIELD_NUMBER: _ClassVar[int]
    PASSWORD_FIELD_NUMBER: _ClassVar[int]
    username: str
    password: str
    def __init__(self, username: _Optional[str] = ..., password: _Optional[str] = ...) -> None: ...

class Account(_message.Message):
    __slots__ = ("name", "login")
    NAME_FIELD_NUMBER: _ClassVar[int]
    LOGIN_FIELD_NUMBER: _ClassVar[int]
    name: str
    login: int
    def __init__(self, name: _Optional[str] = ..., login: _Optional[int] = ...) -> None: ...

class EnterGame(_message.Message):
    __slots__ = ("game", "invitation")
    GAME_FIELD_NUMBER: _ClassVar[int]
    INVITATION_FIELD_NUMBER: _ClassVar[int]
    game: str
    invitation: str
    def __init__(self, game: _Optional[str] = ..., invitation: _Optional[str] = ...) -> None: ...

class KeepLogin(_message.Message):
    __slots__ = ("label", "password")
    LABEL_FIELD_NUMBER: _ClassVar[int]
    PASSWORD_FIELD_NUMBER: _ClassVar[int]
    label: str
    password: str
    def __init__(self, label: _Optional[str] = ..., password: _Optional[str] = ...) -> None: ...

class Ticket(_message.Message):
    __slots__ = ("ticket", "seconds")
    TICKET_FIELD_NUMBER: _ClassVar[int]
    SECONDS_FIELD_NUMBER: _ClassVar[int]
    ticket: str
    seconds: int
    def __init__(self, ticket: _Optional[str] = ..., seconds: _Optional[int] = ...) -> None: ...

class GetKeptLogins(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class KeptLogins(_message.Message):
    __slots__ = ("logins",)
    LOGINS_FIELD_NUMBER: _ClassVar[int]
    logins: _containers.RepeatedCompositeFieldContainer[KeptLogin]
    def __init__(self, logins: _Optional[_Iterable[_Union[KeptLogin, _Mapping]]] = ...) -> None: ...

class KeptLogin(_message.Message):
    __slots__ = ("id", "label", "created", "used", "here")
    ID_FIELD_NUMBER: _ClassVar[int]
    LABEL_FIELD_NUMBER: _ClassVar[int]
    CREATED_FIELD_NUMBER: _ClassVar[int]
    USED_FIELD_NUMBER: _ClassVar[int]
    HERE_FIELD_NUMBER: _ClassVar[int]
    id: int
    label: str
    created: int
    used: int
    here: bool
    def __init__(self, id: _Optional[int] = ..., label: _Optional[str] = ..., created: _Optional[int] = ..., used: _Optional[int] = ..., here: _Optional[bool] = ...) -> None: ...

class RevokeLogin(_message.Message):
    __slots__ = ("id",)
    ID_FIELD_NUMBER: _ClassVar[int]
    id: int
    def __init__(self, id: _Optional[int] = ...) -> None: ...

class GetMyGames(_message.Message):
    __slots__ = ("start",)
    START_FIELD_NUMBER: _ClassVar[int]
    start: int
    def __init__(self, start: _Optional[int] = ...) -> None: ...

class MyGames(_message.Message):
    __slots__ = ("games", "following")
    GAMES_FIELD_NUMBER: _ClassVar[int]
    FOLLOWING_FIELD_NUMBER: _ClassVar[int]
    games: _containers.RepeatedCompositeFieldContainer[MyGame]
    following: int
    def __init__(self, games: _Optional[_Iterable[_Union[MyGame, _Mapping]]] = ..., following: _Optional[int] = ...) -> None: ...

class MyGame(_message.Message):
    __slots__ = ("name", "ruleset", "title", "version", "state", "turn", "turn_name", "time", "player", "seats", "clock", "invited", "made", "new_turns", "new_letters", "anonymous")
    NAME_FIELD_NUMBER: _ClassVar[int]
    RULESET_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    TURN_NAME_FIELD_NUMBER: _ClassVar[int]
    TIME_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    CLOCK_FIELD_NUMBER: _ClassVar[int]
    INVITED_FIELD_NUMBER: _ClassVar[int]
    MADE_FIELD_NUMBER: _ClassVar[int]
    NEW_TURNS_FIELD_NUMBER: _ClassVar[int]
    NEW_LETTERS_FIELD_NUMBER: _ClassVar[int]
    ANONYMOUS_FIELD_NUMBER: _ClassVar[int]
    name: str
    ruleset: str
    title: str
    version: str
    state: str
    turn: int
    turn_name: str
    time: int
    player: int
    seats: _containers.RepeatedCompositeFieldContainer[SeatOfGame]
    clock: str
    invited: bool
    made: bool
    new_turns: int
    new_letters: int
    anonymous: bool
    def __init__(self, name: _Optional[str] = ..., ruleset: _Optional[str] = ..., title: _Optional[str] = ..., version: _Optional[str] = ..., state: _Optional[str] = ..., turn: _Optional[int] = ..., turn_name: _Optional[str] = ..., time: _Optional[int] = ..., player: _Optional[int] = ..., seats: _Optional[_Iterable[_Union[SeatOfGame, _Mapping]]] = ..., clock: _Optional[str] = ..., invited: _Optional[bool] = ..., made: _Optional[bool] = ..., new_turns: _Optional[int] = ..., new_letters: _Optional[int] = ..., anonymous: _Optional[bool] = ...) -> None: ...

class SeatOfGame(_message.Message):
    __slots__ = ("name", "bot", "awaited")
    NAME_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    AWAITED_FIELD_NUMBER: _ClassVar[int]
    name: str
    bot: bool
    awaited: bool
    def __init__(self, name: _Optional[str] = ..., bot: _Optional[bool] = ..., awaited: _Optional[bool] = ...) -> None: ...

class GetRulesets(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Ruleset(_message.Message):
    __slots__ = ("name", "title", "version", "goal", "seats", "options")
    NAME_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    GOAL_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    name: str
    title: str
    version: str
    goal: str
    seats: _containers.RepeatedScalarFieldContainer[int]
    options: _containers.RepeatedCompositeFieldContainer[RulesetOption]
    def __init__(self, name: _Optional[str] = ..., title: _Optional[str] = ..., version: _Optional[str] = ..., goal: _Optional[str] = ..., seats: _Optional[_Iterable[int]] = ..., options: _Optional[_Iterable[_Union[RulesetOption, _Mapping]]] = ...) -> None: ...

class RulesetOption(_message.Message):
    __slots__ = ("name", "help", "limits", "kind", "value", "low", "high", "words")
    NAME_FIELD_NUMBER: _ClassVar[int]
    HELP_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    LOW_FIELD_NUMBER: _ClassVar[int]
    HIGH_FIELD_NUMBER: _ClassVar[int]
    WORDS_FIELD_NUMBER: _ClassVar[int]
    name: str
    help: str
    limits: str
    kind: str
    value: str
    low: int
    high: int
    words: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, name: _Optional[str] = ..., help: _Optional[str] = ..., limits: _Optional[str] = ..., kind: _Optional[str] = ..., value: _Optional[str] = ..., low: _Optional[int] = ..., high: _Optional[int] = ..., words: _Optional[_Iterable[str]] = ...) -> None: ...

class CreateGame(_message.Message):
    __slots__ = ("name", "ruleset", "seats", "bots", "clock", "invited", "options", "policy", "press", "master", "anonymous", "watch_delay", "unwatched", "guests")
    NAME_FIELD_NUMBER: _ClassVar[int]
    RULESET_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    BOTS_FIELD_NUMBER: _ClassVar[int]
    CLOCK_FIELD_NUMBER: _ClassVar[int]
    INVITED_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    POLICY_FIELD_NUMBER: _ClassVar[int]
    PRESS_FIELD_NUMBER: _ClassVar[int]
    MASTER_FIELD_NUMBER: _ClassVar[int]
    ANONYMOUS_FIELD_NUMBER: _ClassVar[int]
    WATCH_DELAY_FIELD_NUMBER: _ClassVar[int]
    UNWATCHED_FIELD_NUMBER: _ClassVar[int]
    GUESTS_FIELD_NUMBER: _ClassVar[int]
    name: str
    ruleset: str
    seats: int
    bots: int
    clock: str
    invited: bool
    options: _containers.RepeatedCompositeFieldContainer[OptionValue]
    policy: SeatPolicy
    press: str
    master: bool
    anonymous: bool
    watch_delay: int
    unwatched: bool
    guests: str
    def __init__(self, name: _Optional[str] = ..., ruleset: _Optional[str] = ..., seats: _Optional[int] = ..., bots: _Optional[int] = ..., clock: _Optional[str] = ..., invited: _Optional[bool] = ..., options: _Optional[_Iterable[_Union[OptionValue, _Mapping]]] = ..., policy: _Optional[_Union[SeatPolicy, _Mapping]] = ..., press: _Optional[str] = ..., master: _Optional[bool] = ..., anonymous: _Optional[bool] = ..., watch_delay: _Optional[int] = ..., unwatched: _Optional[bool] = ..., guests: _Optional[str] = ...) -> None: ...

class OptionValue(_message.Message):
    __slots__ = ("name", "value")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    name: str
    value: str
    def __init__(self, name: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...

class GetInvitation(_message.Message):
    __slots__ = ("game",)
    GAME_FIELD_NUMBER: _ClassVar[int]
    game: str
    def __init__(self, game: _Optional[str] = ...) -> None: ...

class Invitation(_message.Message):
    __slots__ = ("game", "word")
    GAME_FIELD_NUMBER: _ClassVar[int]
    WORD_FIELD_NUMBER: _ClassVar[int]
    game: str
    word: str
    def __init__(self, game: _Optional[str] = ..., word: _Optional[str] = ...) -> None: ...

class GetGameSetup(_message.Message):
    __slots__ = ("game",)
    GAME_FIELD_NUMBER: _ClassVar[int]
    game: str
    def __init__(self, game: _Optional[str] = ...) -> None: ...

class GameSetup(_message.Message):
    __slots__ = ("game", "ruleset", "title", "version", "seats", "bots", "clock", "invited", "options", "press", "anonymous", "watch_delay", "unwatched", "guests")
    GAME_FIELD_NUMBER: _ClassVar[int]
    RULESET_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    BOTS_FIELD_NUMBER: _ClassVar[int]
    CLOCK_FIELD_NUMBER: _ClassVar[int]
    INVITED_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    PRESS_FIELD_NUMBER: _ClassVar[int]
    ANONYMOUS_FIELD_NUMBER: _ClassVar[int]
    WATCH_DELAY_FIELD_NUMBER: _ClassVar[int]
    UNWATCHED_FIELD_NUMBER: _ClassVar[int]
    GUESTS_FIELD_NUMBER: _ClassVar[int]
    game: str
    ruleset: str
    title: str
    version: str
    seats: int
    bots: int
    clock: str
    invited: bool
    options: _containers.RepeatedCompositeFieldContainer[SetupOption]
    press: str
    anonymous: bool
    watch_delay: int
    unwatched: bool
    guests: str
    def __init__(self, game: _Optional[str] = ..., ruleset: _Optional[str] = ..., title: _Optional[str] = ..., version: _Optional[str] = ..., seats: _Optional[int] = ..., bots: _Optional[int] = ..., clock: _Optional[str] = ..., invited: _Optional[bool] = ..., options: _Optional[_Iterable[_Union[SetupOption, _Mapping]]] = ..., press: _Optional[str] = ..., anonymous: _Optional[bool] = ..., watch_delay: _Optional[int] = ..., unwatched: _Optional[bool] = ..., guests: _Optional[str] = ...) -> None: ...

class SetupOption(_message.Message):
    __slots__ = ("name", "help", "value", "changed")
    NAME_FIELD_NUMBER: _ClassVar[int]
    HELP_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    CHANGED_FIELD_NUMBER: _ClassVar[int]
    name: str
    help: str
    value: str
    changed: bool
    def __init__(self, name: _Optional[str] = ..., help: _Optional[str] = ..., value: _Optional[str] = ..., changed: _Optional[bool] = ...) -> None: ...

class GetClock(_message.Message):
    __slots__ = ("game",)
    GAME_FIELD_NUMBER: _ClassVar[int]
    game: str
    def __init__(self, game: _Optional[str] = ...) -> None: ...

class Clock(_message.Message):
    __slots__ = ("game", "clock", "words", "due", "ends", "banks", "owned", "given", "most", "needs_consent")
    GAME_FIELD_NUMBER: _ClassVar[int]
    CLOCK_FIELD_NUMBER: _ClassVar[int]
    WORDS_FIELD_NUMBER: _ClassVar[int]
    DUE_FIELD_NUMBER: _ClassVar[int]
    ENDS_FIELD_NUMBER: _ClassVar[int]
    BANKS_FIELD_NUMBER: _ClassVar[int]
    OWNED_FIELD_NUMBER: _ClassVar[int]
    GIVEN_FIELD_NUMBER: _ClassVar[int]
    MOST_FIELD_NUMBER: _ClassVar[int]
    NEEDS_CONSENT_FIELD_NUMBER: _ClassVar[int]
    game: str
    clock: str
    words: str
    due: int
    ends: int
    banks: _containers.RepeatedCompositeFieldContainer[TimeBank]
    owned: bool
    given: int
    most: int
    needs_consent: bool
    def __init__(self, game: _Optional[str] = ..., clock: _Optional[str] = ..., words: _Optional[str] = ..., due: _Optional[int] = ..., ends: _Optional[int] = ..., banks: _Optional[_Iterable[_Union[TimeBank, _Mapping]]] = ..., owned: _Optional[bool] = ..., given: _Optional[int] = ..., most: _Optional[int] = ..., needs_consent: _Optional[bool] = ...) -> None: ...

class TimeBank(_message.Message):
    __slots__ = ("player", "seconds")
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    SECONDS_FIELD_NUMBER: _ClassVar[int]
    player: int
    seconds: int
    def __init__(self, player: _Optional[int] = ..., seconds: _Optional[int] = ...) -> None: ...

class ExtendTurn(_message.Message):
    __slots__ = ("game", "seconds", "turn", "take_back")
    GAME_FIELD_NUMBER: _ClassVar[int]
    SECONDS_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    TAKE_BACK_FIELD_NUMBER: _ClassVar[int]
    game: str
    seconds: int
    turn: int
    take_back: bool
    def __init__(self, game: _Optional[str] = ..., seconds: _Optional[int] = ..., turn: _Optional[int] = ..., take_back: _Optional[bool] = ...) -> None: ...

class SetClock(_message.Message):
    __slots__ = ("game", "clock")
    GAME_FIELD_NUMBER: _ClassVar[int]
    CLOCK_FIELD_NUMBER: _ClassVar[int]
    game: str
    clock: str
    def __init__(self, game: _Optional[str] = ..., clock: _Optional[str] = ...) -> None: ...

class GetClockGroups(_message.Message):
    __slots__ = ("ruleset",)
    RULESET_FIELD_NUMBER: _ClassVar[int]
    ruleset: str
    def __init__(self, ruleset: _Optional[str] = ...) -> None: ...

class ClockGroups(_message.Message):
    __slots__ = ("ruleset", "groups")
    RULESET_FIELD_NUMBER: _ClassVar[int]
    GROUPS_FIELD_NUMBER: _ClassVar[int]
    ruleset: str
    groups: _containers.RepeatedCompositeFieldContainer[ClockGroup]
    def __init__(self, ruleset: _Optional[str] = ..., groups: _Optional[_Iterable[_Union[ClockGroup, _Mapping]]] = ...) -> None: ...

class ClockGroup(_message.Message):
    __slots__ = ("name", "help")
    NAME_FIELD_NUMBER: _ClassVar[int]
    HELP_FIELD_NUMBER: _ClassVar[int]
    name: str
    help: str
    def __init__(self, name: _Optional[str] = ..., help: _Optional[str] = ...) -> None: ...

class GetNotices(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Notices(_message.Message):
    __slots__ = ("channels", "addresses", "usual", "wishes", "zone", "quiet_from", "quiet_to", "digest")
    CHANNELS_FIELD_NUMBER: _ClassVar[int]
    ADDRESSES_FIELD_NUMBER: _ClassVar[int]
    USUAL_FIELD_NUMBER: _ClassVar[int]
    WISHES_FIELD_NUMBER: _ClassVar[int]
    ZONE_FIELD_NUMBER: _ClassVar[int]
    QUIET_FROM_FIELD_NUMBER: _ClassVar[int]
    QUIET_TO_FIELD_NUMBER: _ClassVar[int]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    channels: _containers.RepeatedScalarFieldContainer[str]
    addresses: _containers.RepeatedCompositeFieldContainer[NoticeAddress]
    usual: NoticeWish
    wishes: _containers.RepeatedCompositeFieldContainer[NoticeWish]
    zone: str
    quiet_from: int
    quiet_to: int
    digest: int
    def __init__(self, channels: _Optional[_Iterable[str]] = ..., addresses: _Optional[_Iterable[_Union[NoticeAddress, _Mapping]]] = ..., usual: _Optional[_Union[NoticeWish, _Mapping]] = ..., wishes: _Optional[_Iterable[_Union[NoticeWish, _Mapping]]] = ..., zone: _Optional[str] = ..., quiet_from: _Optional[int] = ..., quiet_to: _Optional[int] = ..., digest: _Optional[int] = ...) -> None: ...

class AddNoticeAddress(_message.Message):
    __slots__ = ("kind", "target", "token", "resets", "password")
    KIND_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    RESETS_FIELD_NUMBER: _ClassVar[int]
    PASSWORD_FIELD_NUMBER: _ClassVar[int]
    kind: str
    target: str
    token: str
    resets: bool
    password: str
    def __init__(self, kind: _Optional[str] = ..., target: _Optional[str] = ..., token: _Optional[str] = ..., resets: _Optional[bool] = ..., password: _Optional[str] = ...) -> None: ...

class NoticeAddress(_message.Message):
    __slots__ = ("id", "kind", "target", "state", "problem", "secret", "resets")
    ID_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    PROBLEM_FIELD_NUMBER: _ClassVar[int]
    SECRET_FIELD_NUMBER: _ClassVar[int]
    RESETS_FIELD_NUMBER: _ClassVar[int]
    id: int
    kind: str
    target: str
    state: str
    problem: str
    secret: str
    resets: bool
    def __init__(self, id: _Optional[int] = ..., kind: _Optional[str] = ..., target: _Optional[str] = ..., state: _Optional[str] = ..., problem: _Optional[str] = ..., secret: _Optional[str] = ..., resets: _Optional[bool] = ...) -> None: ...

class SetResetAddress(_message.Message):
    __slots__ = ("id", "resets", "password")
    ID_FIELD_NUMBER: _ClassVar[int]
    RESETS_FIELD_NUMBER: _ClassVar[int]
    PASSWORD_FIELD_NUMBER: _ClassVar[int]
    id: int
    resets: bool
    password: str
    def __init__(self, id: _Optional[int] = ..., resets: _Optional[bool] = ..., password: _Optional[str] = ...) -> None: ...

class VerifyNoticeAddress(_message.Message):
    __slots__ = ("id", "code")
    ID_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    id: int
    code: str
    def __init__(self, id: _Optional[int] = ..., code: _Optional[str] = ...) -> None: ...

class RemoveNoticeAddress(_message.Message):
    __slots__ = ("id",)
    ID_FIELD_NUMBER: _ClassVar[int]
    id: int
    def __init__(self, id: _Optional[int] = ...) -> None: ...

class NoticeWish(_message.Message):
    __slots__ = ("game", "mode", "hours")
    GAME_FIELD_NUMBER: _ClassVar[int]
    MODE_FIELD_NUMBER: _ClassVar[int]
    HOURS_FIELD_NUMBER: _ClassVar[int]
    game: str
    mode: str
    hours: int
    def __init__(self, game: _Optional[str] = ..., mode: _Optional[str] = ..., hours: _Optional[int] = ...) -> None: ...

class SetNoticeWish(_message.Message):
    __slots__ = ("wish",)
    WISH_FIELD_NUMBER: _ClassVar[int]
    wish: NoticeWish
    def __init__(self, wish: _Optional[_Union[NoticeWish, _Mapping]] = ...) -> None: ...

class SetNoticeTimes(_message.Message):
    __slots__ = ("zone", "quiet_from", "quiet_to", "digest")
    ZONE_FIELD_NUMBER: _ClassVar[int]
    QUIET_FROM_FIELD_NUMBER: _ClassVar[int]
    QUIET_TO_FIELD_NUMBER: _ClassVar[int]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    zone: str
    quiet_from: int
    quiet_to: int
    digest: int
    def __init__(self, zone: _Optional[str] = ..., quiet_from: _Optional[int] = ..., quiet_to: _Optional[int] = ..., digest: _Optional[int] = ...) -> None: ...

class GetPushKey(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class PushKey(_message.Message):
    __slots__ = ("key",)
    KEY_FIELD_NUMBER: _ClassVar[int]
    key: str
    def __init__(self, key: _Optional[str] = ...) -> None: ...

class GetCalendar(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Calendar(_message.Message):
    __slots__ = ("offered", "made", "path", "url")
    OFFERED_FIELD_NUMBER: _ClassVar[int]
    MADE_FIELD_NUMBER: _ClassVar[int]
    PATH_FIELD_NUMBER: _ClassVar[int]
    URL_FIELD_NUMBER: _ClassVar[int]
    offered: bool
    made: int
    path: str
    url: str
    def __init__(self, offered: _Optional[bool] = ..., made: _Optional[int] = ..., path: _Optional[str] = ..., url: _Optional[str] = ...) -> None: ...

class MakeCalendar(_message.Message):
    __slots__ = ("password",)
    PASSWORD_FIELD_NUMBER: _ClassVar[int]
    password: str
    def __init__(self, password: _Optional[str] = ...) -> None: ...

class RevokeCalendar(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetSeats(_message.Message):
    __slots__ = ("game",)
    GAME_FIELD_NUMBER: _ClassVar[int]
    game: str
    def __init__(self, game: _Optional[str] = ...) -> None: ...

class Seats(_message.Message):
    __slots__ = ("game", "policy", "words", "seats", "owned", "has_bot", "roll_ends", "needs_consent")
    GAME_FIELD_NUMBER: _ClassVar[int]
    POLICY_FIELD_NUMBER: _ClassVar[int]
    WORDS_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    OWNED_FIELD_NUMBER: _ClassVar[int]
    HAS_BOT_FIELD_NUMBER: _ClassVar[int]
    ROLL_ENDS_FIELD_NUMBER: _ClassVar[int]
    NEEDS_CONSENT_FIELD_NUMBER: _ClassVar[int]
    game: str
    policy: SeatPolicy
    words: str
    seats: _containers.RepeatedCompositeFieldContainer[SeatState]
    owned: bool
    has_bot: bool
    roll_ends: int
    needs_consent: bool
    def __init__(self, game: _Optional[str] = ..., policy: _Optional[_Union[SeatPolicy, _Mapping]] = ..., words: _Optional[str] = ..., seats: _Optional[_Iterable[_Union[SeatState, _Mapping]]] = ..., owned: _Optional[bool] = ..., has_bot: _Optional[bool] = ..., roll_ends: _Optional[int] = ..., needs_consent: _Optional[bool] = ...) -> None: ...

class SeatState(_message.Message):
    __slots__ = ("player", "name", "bot", "awaited", "absent", "missed", "due", "kept", "due_of_all", "kept_of_all", "autopilot", "bot_plays", "seeks", "here")
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    AWAITED_FIELD_NUMBER: _ClassVar[int]
    ABSENT_FIELD_NUMBER: _ClassVar[int]
    MISSED_FIELD_NUMBER: _ClassVar[int]
    DUE_FIELD_NUMBER: _ClassVar[int]
    KEPT_FIELD_NUMBER: _ClassVar[int]
    DUE_OF_ALL_FIELD_NUMBER: _ClassVar[int]
    KEPT_OF_ALL_FIELD_NUMBER: _ClassVar[int]
    AUTOPILOT_FIELD_NUMBER: _ClassVar[int]
    BOT_PLAYS_FIELD_NUMBER: _ClassVar[int]
    SEEKS_FIELD_NUMBER: _ClassVar[int]
    HERE_FIELD_NUMBER: _ClassVar[int]
    player: int
    name: str
    bot: bool
    awaited: bool
    absent: bool
    missed: int
    due: int
    kept: int
    due_of_all: int
    kept_of_all: int
    autopilot: int
    bot_plays: bool
    seeks: bool
    here: bool
    def __init__(self, player: _Optional[int] = ..., name: _Optional[str] = ..., bot: _Optional[bool] = ..., awaited: _Optional[bool] = ..., absent: _Optional[bool] = ..., missed: _Optional[int] = ..., due: _Optional[int] = ..., kept: _Optional[int] = ..., due_of_all: _Optional[int] = ..., kept_of_all: _Optional[int] = ..., autopilot: _Optional[int] = ..., bot_plays: _Optional[bool] = ..., seeks: _Optional[bool] = ..., here: _Optional[bool] = ...) -> None: ...

class SeatPolicy(_message.Message):
    __slots__ = ("absent_after", "absent", "seeks", "reliability", "roll_call", "silent_days", "waits_for_silent")
    ABSENT_AFTER_FIELD_NUMBER: _ClassVar[int]
    ABSENT_FIELD_NUMBER: _ClassVar[int]
    SEEKS_FIELD_NUMBER: _ClassVar[int]
    RELIABILITY_FIELD_NUMBER: _ClassVar[int]
    ROLL_CALL_FIELD_NUMBER: _ClassVar[int]
    SILENT_DAYS_FIELD_NUMBER: _ClassVar[int]
    WAITS_FOR_SILENT_FIELD_NUMBER: _ClassVar[int]
    absent_after: int
    absent: str
    seeks: bool
    reliability: int
    roll_call: int
    silent_days: int
    waits_for_silent: bool
    def __init__(self, absent_after: _Optional[int] = ..., absent: _Optional[str] = ..., seeks: _Optional[bool] = ..., reliability: _Optional[int] = ..., roll_call: _Optional[int] = ..., silent_days: _Optional[int] = ..., waits_for_silent: _Optional[bool] = ...) -> None: ...

class SetSeatPolicy(_message.Message):
    __slots__ = ("game", "policy")
    GAME_FIELD_NUMBER: _ClassVar[int]
    POLICY_FIELD_NUMBER: _ClassVar[int]
    game: str
    policy: SeatPolicy
    def __init__(self, game: _Optional[str] = ..., policy: _Optional[_Union[SeatPolicy, _Mapping]] = ...) -> None: ...

class SayHere(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class SetAutopilot(_message.Message):
    __slots__ = ("turns", "turn")
    TURNS_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    turns: int
    turn: int
    def __init__(self, turns: _Optional[int] = ..., turn: _Optional[int] = ...) -> None: ...

class GetOpenSeats(_message.Message):
    __slots__ = ("start",)
    START_FIELD_NUMBER: _ClassVar[int]
    start: int
    def __init__(self, start: _Optional[int] = ...) -> None: ...

class OpenSeats(_message.Message):
    __slots__ = ("seats", "following")
    SEATS_FIELD_NUMBER: _ClassVar[int]
    FOLLOWING_FIELD_NUMBER: _ClassVar[int]
    seats: _containers.RepeatedCompositeFieldContainer[OpenSeat]
    following: int
    def __init__(self, seats: _Optional[_Iterable[_Union[OpenSeat, _Mapping]]] = ..., following: _Optional[int] = ...) -> None: ...

class OpenSeat(_message.Message):
    __slots__ = ("game", "ruleset", "title", "turn", "player", "name", "bot", "reliability")
    GAME_FIELD_NUMBER: _ClassVar[int]
    RULESET_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    RELIABILITY_FIELD_NUMBER: _ClassVar[int]
    game: str
    ruleset: str
    title: str
    turn: int
    player: int
    name: str
    bot: bool
    reliability: int
    def __init__(self, game: _Optional[str] = ..., ruleset: _Optional[str] = ..., title: _Optional[str] = ..., turn: _Optional[int] = ..., player: _Optional[int] = ..., name: _Optional[str] = ..., bot: _Optional[bool] = ..., reliability: _Optional[int] = ...) -> None: ...

class TakeSeat(_message.Message):
    __slots__ = ("game", "player", "invitation")
    GAME_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    INVITATION_FIELD_NUMBER: _ClassVar[int]
    game: str
    player: int
    invitation: str
    def __init__(self, game: _Optional[str] = ..., player: _Optional[int] = ..., invitation: _Optional[str] = ...) -> None: ...

class RemovePlayer(_message.Message):
    __slots__ = ("game", "player")
    GAME_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    game: str
    player: int
    def __init__(self, game: _Optional[str] = ..., player: _Optional[int] = ...) -> None: ...

class AdminFrame(_message.Message):
    __slots__ = ("okay", "fail", "sequence_of", "connect", "login", "ping", "log_message", "command_update", "get_command_desc", "command_desc", "get_command_desc_ids", "command_desc_ids", "command", "command_result")
    OKAY_FIELD_NUMBER: _ClassVar[int]
    FAIL_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_OF_FIELD_NUMBER: _ClassVar[int]
    CONNECT_FIELD_NUMBER: _ClassVar[int]
    LOGIN_FIELD_NUMBER: _ClassVar[int]
    PING_FIELD_NUMBER: _ClassVar[int]
    LOG_MESSAGE_FIELD_NUMBER: _ClassVar[int]
    COMMAND_UPDATE_FIELD_NUMBER: _ClassVar[int]
    GET_COMMAND_DESC_FIELD_NUMBER: _ClassVar[int]
    COMMAND_DESC_FIELD_NUMBER: _ClassVar[int]
    GET_COMMAND_DESC_IDS_FIELD_NUMBER: _ClassVar[int]
    COMMAND_DESC_IDS_FIELD_NUMBER: _ClassVar[int]
    COMMAND_FIELD_NUMBER: _ClassVar[int]
    COMMAND_RESULT_FIELD_NUMBER: _ClassVar[int]
    okay: Okay
    fail: Fail
    sequence_of: Sequence
    connect: Connect
    login: Login
    ping: Ping
    log_message: LogMessage
    command_update: CommandUpdate
    get_command_desc: GetWithID
    command_desc: CommandDesc
    get_command_desc_ids: GetIDSequence
    command_desc_ids: IDSequence
    command: Command
    command_result: CommandResult
    def __init__(self, okay: _Optional[_Union[Okay, _Mapping]] = ..., fail: _Optional[_Union[Fail, _Mapping]] = ..., sequence_of: _Optional[_Union[Sequence, _Mapping]] = ..., connect: _Optional[_Union[Connect, _Mapping]] = ..., login: _Optional[_Union[Login, _Mapping]] = ..., ping: _Optional[_Union[Ping, _Mapping]] = ..., log_message: _Optional[_Union[LogMessage, _Mapping]] = ..., command_update: _Optional[_Union[CommandUpdate, _Mapping]] = ..., get_command_desc: _Optional[_Union[GetWithID, _Mapping]] = ..., command_desc: _Optional[_Union[CommandDesc, _Mapping]] = ..., get_command_desc_ids: _Optional[_Union[GetIDSequence, _Mapping]] = ..., command_desc_ids: _Optional[_Union[IDSequence, _Mapping]] = ..., command: _Optional[_Union[Command, _Mapping]] = ..., command_result: _Optional[_Union[CommandResult, _Mapping]] = ...) -> None: ...

class MetaserverFrame(_message.Message):
    __slots__ = ("fail", "sequence_of", "game")
    FAIL_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_OF_FIELD_NUMBER: _ClassVar[int]
    GAME_FIELD_NUMBER: _ClassVar[int]
    fail: Fail
    sequence_of: Sequence
    game: ListedGame
    def __init__(self, fail: _Optional[_Union[Fail, _Mapping]] = ..., sequence_of: _Optional[_Union[Sequence, _Mapping]] = ..., game: _Optional[_Union[ListedGame, _Mapping]] = ...) -> None: ...

class ListedGame(_message.Message):
    __slots__ = ("name", "key", "tp", "server", "server_type", "rule", "rule_version", "connections", "parameters")
    NAME_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    TP_FIELD_NUMBER: _ClassVar[int]
    SERVER_FIELD_NUMBER: _ClassVar[int]
    SERVER_TYPE_FIELD_NUMBER: _ClassVar[int]
    RULE_FIELD_NUMBER: _ClassVar[int]
    RULE_VERSION_FIELD_NUMBER: _ClassVar[int]
    CONNECTIONS_FIELD_NUMBER: _ClassVar[int]
    PARAMETERS_FIELD_NUMBER: _ClassVar[int]
    name: str
    key: str
    tp: _containers.RepeatedScalarFieldContainer[str]
    server: str
    server_type: str
    rule: str
    rule_version: str
    connections: _containers.RepeatedCompositeFieldContainer[GameConnection]
    parameters: _containers.RepeatedCompositeFieldContainer[GameParameter]
    def __init__(self, name: _Optional[str] = ..., key: _Optional[str] = ..., tp: _Optional[_Iterable[str]] = ..., server: _Optional[str] = ..., server_type: _Optional[str] = ..., rule: _Optional[str] = ..., rule_version: _Optional[str] = ..., connections: _Optional[_Iterable[_Union[GameConnection, _Mapping]]] = ..., parameters: _Optional[_Iterable[_Union[GameParameter, _Mapping]]] = ...) -> None: ...

class LogMessage(_message.Message):
    __slots__ = ("timestamp", "level", "message")
    TIMESTAMP_FIELD_NUMBER: _ClassVar[int]
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    timestamp: int
    level: int
    message: str
    def __init__(self, timestamp: _Optional[int] = ..., level: _Optional[int] = ..., message: _Optional[str] = ...) -> None: ...

class CommandUpdate(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class CommandDesc(_message.Message):
    __slots__ = ("id", "name", "help", "parameters", "modtime")
    ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    HELP_FIELD_NUMBER: _ClassVar[int]
    PARAMETERS_FIELD_NUMBER: _ClassVar[int]
    MODTIME_FIELD_NUMBER: _ClassVar[int]
    id: int
    name: str
    help: str
    parameters: _containers.RepeatedCompositeFieldContainer[CommandParameterDesc]
    modtime: int
    def __init__(self, id: _Optional[int] = ..., name: _Optional[str] = ..., help: _Optional[str] = ..., parameters: _Optional[_Iterable[_Union[CommandParameterDesc, _Mapping]]] = ..., modtime: _Optional[int] = ...) -> None: ...

class CommandParameterDesc(_message.Message):
    __slots__ = ("name", "type", "description")
    NAME_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    name: str
    type: int
    description: str
    def __init__(self, name: _Optional[str] = ..., type: _Optional[int] = ..., description: _Optional[str] = ...) -> None: ...

class Command(_message.Message):
    __slots__ = ("otype", "parameters")
    OTYPE_FIELD_NUMBER: _ClassVar[int]
    PARAMETERS_FIELD_NUMBER: _ClassVar[int]
    otype: int
    parameters: _containers.RepeatedCompositeFieldContainer[CommandParameter]
    def __init__(self, otype: _Optional[int] = ..., parameters: _Optional[_Iterable[_Union[CommandParameter, _Mapping]]] = ...) -> None: ...

class CommandParameter(_message.Message):
    __slots__ = ("text", "number")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    text: CommandText
    number: CommandNumber
    def __init__(self, text: _Optional[_Union[CommandText, _Mapping]] = ..., number: _Optional[_Union[CommandNumber, _Mapping]] = ...) -> None: ...

class CommandText(_message.Message):
    __slots__ = ("text",)
    TEXT_FIELD_NUMBER: _ClassVar[int]
    text: str
    def __init__(self, text: _Optional[str] = ...) -> None: ...

class CommandNumber(_message.Message):
    __slots__ = ("number",)
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    number: int
    def __init__(self, number: _Optional[int] = ...) -> None: ...

class CommandResult(_message.Message):
    __slots__ = ("status", "output")
    STATUS_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_FIELD_NUMBER: _ClassVar[int]
    status: int
    output: str
    def __init__(self, status: _Optional[int] = ..., output: _Optional[str] = ...) -> None: ...

class ChangePassword(_message.Message):
    __slots__ = ("old", "new", "drop_addresses", "drop_providers", "drop_links")
    OLD_FIELD_NUMBER: _ClassVar[int]
    NEW_FIELD_NUMBER: _ClassVar[int]
    DROP_ADDRESSES_FIELD_NUMBER: _ClassVar[int]
    DROP_PROVIDERS_FIELD_NUMBER: _ClassVar[int]
    DROP_LINKS_FIELD_NUMBER: _ClassVar[int]
    old: str
    new: str
    drop_addresses: bool
    drop_providers: bool
    drop_links: bool
    def __init__(self, old: _Optional[str] = ..., new: _Optional[str] = ..., drop_addresses: _Optional[bool] = ..., drop_providers: _Optional[bool] = ..., drop_links: _Optional[bool] = ...) -> None: ...

class GetTokens(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Tokens(_message.Message):
    __slots__ = ("tokens",)
    TOKENS_FIELD_NUMBER: _ClassVar[int]
    tokens: _containers.RepeatedCompositeFieldContainer[Token]
    def __init__(self, tokens: _Optional[_Iterable[_Union[Token, _Mapping]]] = ...) -> None: ...

class Token(_message.Message):
    __slots__ = ("id", "label", "game", "read_only", "created", "ends", "used", "secret")
    ID_FIELD_NUMBER: _ClassVar[int]
    LABEL_FIELD_NUMBER: _ClassVar[int]
    GAME_FIELD_NUMBER: _ClassVar[int]
    READ_ONLY_FIELD_NUMBER: _ClassVar[int]
    CREATED_FIELD_NUMBER: _ClassVar[int]
    ENDS_FIELD_NUMBER: _ClassVar[int]
    USED_FIELD_NUMBER: _ClassVar[int]
    SECRET_FIELD_NUMBER: _ClassVar[int]
    id: int
    label: str
    game: str
    read_only: bool
    created: int
    ends: int
    used: int
    secret: str
    def __init__(self, id: _Optional[int] = ..., label: _Optional[str] = ..., game: _Optional[str] = ..., read_only: _Optional[bool] = ..., created: _Optional[int] = ..., ends: _Optional[int] = ..., used: _Optional[int] = ..., secret: _Optional[str] = ...) -> None: ...

class CreateToken(_message.Message):
    __slots__ = ("label", "game", "read_only", "days", "password")
    LABEL_FIELD_NUMBER: _ClassVar[int]
    GAME_FIELD_NUMBER: _ClassVar[int]
    READ_ONLY_FIELD_NUMBER: _ClassVar[int]
    DAYS_FIELD_NUMBER: _ClassVar[int]
    PASSWORD_FIELD_NUMBER: _ClassVar[int]
    label: str
    game: str
    read_only: bool
    days: int
    password: str
    def __init__(self, label: _Optional[str] = ..., game: _Optional[str] = ..., read_only: _Optional[bool] = ..., days: _Optional[int] = ..., password: _Optional[str] = ...) -> None: ...

class RevokeToken(_message.Message):
    __slots__ = ("id",)
    ID_FIELD_NUMBER: _ClassVar[int]
    id: int
    def __init__(self, id: _Optional[int] = ...) -> None: ...

class RequestReset(_message.Message):
    __slots__ = ("account",)
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    account: str
    def __init__(self, account: _Optional[str] = ...) -> None: ...

class ResetPassword(_message.Message):
    __slots__ = ("code", "password")
    CODE_FIELD_NUMBER: _ClassVar[int]
    PASSWORD_FIELD_NUMBER: _ClassVar[int]
    code: str
    password: str
    def __init__(self, code: _Optional[str] = ..., password: _Optional[str] = ...) -> None: ...

class GetOwnAccount(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class OwnAccount(_message.Message):
    __slots__ = ("name", "role", "operations", "email", "email_resets")
    NAME_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    OPERATIONS_FIELD_NUMBER: _ClassVar[int]
    EMAIL_FIELD_NUMBER: _ClassVar[int]
    EMAIL_RESETS_FIELD_NUMBER: _ClassVar[int]
    name: str
    role: str
    operations: _containers.RepeatedScalarFieldContainer[str]
    email: str
    email_resets: bool
    def __init__(self, name: _Optional[str] = ..., role: _Optional[str] = ..., operations: _Optional[_Iterable[str]] = ..., email: _Optional[str] = ..., email_resets: _Optional[bool] = ...) -> None: ...

class Administer(_message.Message):
    __slots__ = ("operation", "arguments")
    OPERATION_FIELD_NUMBER: _ClassVar[int]
    ARGUMENTS_FIELD_NUMBER: _ClassVar[int]
    operation: str
    arguments: _containers.RepeatedCompositeFieldContainer[OperationArgument]
    def __init__(self, operation: _Optional[str] = ..., arguments: _Optional[_Iterable[_Union[OperationArgument, _Mapping]]] = ...) -> None: ...

class OperationArgument(_message.Message):
    __slots__ = ("name", "value")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    name: str
    value: str
    def __init__(self, name: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...

class Administered(_message.Message):
    __slots__ = ("lines",)
    LINES_FIELD_NUMBER: _ClassVar[int]
    lines: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, lines: _Optional[_Iterable[str]] = ...) -> None: ...

class GetAccounts(_message.Message):
    __slots__ = ("start", "search")
    START_FIELD_NUMBER: _ClassVar[int]
    SEARCH_FIELD_NUMBER: _ClassVar[int]
    start: int
    search: str
    def __init__(self, start: _Optional[int] = ..., search: _Optional[str] = ...) -> None: ...

class Accounts(_message.Message):
    __slots__ = ("accounts", "following")
    ACCOUNTS_FIELD_NUMBER: _ClassVar[int]
    FOLLOWING_FIELD_NUMBER: _ClassVar[int]
    accounts: _containers.RepeatedCompositeFieldContainer[ListedAccount]
    following: int
    def __init__(self, accounts: _Optional[_Iterable[_Union[ListedAccount, _Mapping]]] = ..., following: _Optional[int] = ...) -> None: ...

class ListedAccount(_message.Message):
    __slots__ = ("name", "role", "state", "reason", "created", "online")
    NAME_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    CREATED_FIELD_NUMBER: _ClassVar[int]
    ONLINE_FIELD_NUMBER: _ClassVar[int]
    name: str
    role: str
    state: str
    reason: str
    created: int
    online: bool
    def __init__(self, name: _Optional[str] = ..., role: _Optional[str] = ..., state: _Optional[str] = ..., reason: _Optional[str] = ..., created: _Optional[int] = ..., online: _Optional[bool] = ...) -> None: ...

class GetProposals(_message.Message):
    __slots__ = ("game",)
    GAME_FIELD_NUMBER: _ClassVar[int]
    game: str
    def __init__(self, game: _Optional[str] = ...) -> None: ...

class Proposals(_message.Message):
    __slots__ = ("game", "proposals", "offers", "vacations")
    GAME_FIELD_NUMBER: _ClassVar[int]
    PROPOSALS_FIELD_NUMBER: _ClassVar[int]
    OFFERS_FIELD_NUMBER: _ClassVar[int]
    VACATIONS_FIELD_NUMBER: _ClassVar[int]
    game: str
    proposals: _containers.RepeatedCompositeFieldContainer[Proposal]
    offers: _containers.RepeatedCompositeFieldContainer[ProposalOffer]
    vacations: _containers.RepeatedCompositeFieldContainer[PlayerVacation]
    def __init__(self, game: _Optional[str] = ..., proposals: _Optional[_Iterable[_Union[Proposal, _Mapping]]] = ..., offers: _Optional[_Iterable[_Union[ProposalOffer, _Mapping]]] = ..., vacations: _Optional[_Iterable[_Union[PlayerVacation, _Mapping]]] = ...) -> None: ...

class PlayerVacation(_message.Message):
    __slots__ = ("player", "begins", "ends")
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    BEGINS_FIELD_NUMBER: _ClassVar[int]
    ENDS_FIELD_NUMBER: _ClassVar[int]
    player: int
    begins: int
    ends: int
    def __init__(self, player: _Optional[int] = ..., begins: _Optional[int] = ..., ends: _Optional[int] = ...) -> None: ...

class Proposal(_message.Message):
    __slots__ = ("id", "kind", "words", "player", "state", "made", "until", "agreeing", "refusing", "waiting", "turn")
    ID_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    WORDS_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    MADE_FIELD_NUMBER: _ClassVar[int]
    UNTIL_FIELD_NUMBER: _ClassVar[int]
    AGREEING_FIELD_NUMBER: _ClassVar[int]
    REFUSING_FIELD_NUMBER: _ClassVar[int]
    WAITING_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    id: int
    kind: str
    words: str
    player: int
    state: str
    made: int
    until: int
    agreeing: _containers.RepeatedScalarFieldContainer[int]
    refusing: _containers.RepeatedScalarFieldContainer[int]
    waiting: _containers.RepeatedScalarFieldContainer[int]
    turn: int
    def __init__(self, id: _Optional[int] = ..., kind: _Optional[str] = ..., words: _Optional[str] = ..., player: _Optional[int] = ..., state: _Optional[str] = ..., made: _Optional[int] = ..., until: _Optional[int] = ..., agreeing: _Optional[_Iterable[int]] = ..., refusing: _Optional[_Iterable[int]] = ..., waiting: _Optional[_Iterable[int]] = ..., turn: _Optional[int] = ...) -> None: ...

class ProposalOffer(_message.Message):
    __slots__ = ("kind", "help", "alone", "problem", "most", "final", "asks")
    KIND_FIELD_NUMBER: _ClassVar[int]
    HELP_FIELD_NUMBER: _ClassVar[int]
    ALONE_FIELD_NUMBER: _ClassVar[int]
    PROBLEM_FIELD_NUMBER: _ClassVar[int]
    MOST_FIELD_NUMBER: _ClassVar[int]
    FINAL_FIELD_NUMBER: _ClassVar[int]
    ASKS_FIELD_NUMBER: _ClassVar[int]
    kind: str
    help: str
    alone: bool
    problem: str
    most: int
    final: bool
    asks: str
    def __init__(self, kind: _Optional[str] = ..., help: _Optional[str] = ..., alone: _Optional[bool] = ..., problem: _Optional[str] = ..., most: _Optional[int] = ..., final: _Optional[bool] = ..., asks: _Optional[str] = ...) -> None: ...

class Propose(_message.Message):
    __slots__ = ("game", "kind", "seconds", "clock", "policy", "player", "reason", "turn")
    GAME_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    SECONDS_FIELD_NUMBER: _ClassVar[int]
    CLOCK_FIELD_NUMBER: _ClassVar[int]
    POLICY_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    game: str
    kind: str
    seconds: int
    clock: str
    policy: SeatPolicy
    player: int
    reason: str
    turn: int
    def __init__(self, game: _Optional[str] = ..., kind: _Optional[str] = ..., seconds: _Optional[int] = ..., clock: _Optional[str] = ..., policy: _Optional[_Union[SeatPolicy, _Mapping]] = ..., player: _Optional[int] = ..., reason: _Optional[str] = ..., turn: _Optional[int] = ...) -> None: ...

class Vote(_message.Message):
    __slots__ = ("game", "id", "vote")
    GAME_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    VOTE_FIELD_NUMBER: _ClassVar[int]
    game: str
    id: int
    vote: str
    def __init__(self, game: _Optional[str] = ..., id: _Optional[int] = ..., vote: _Optional[str] = ...) -> None: ...

class GetVacations(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Vacations(_message.Message):
    __slots__ = ("vacations", "left")
    VACATIONS_FIELD_NUMBER: _ClassVar[int]
    LEFT_FIELD_NUMBER: _ClassVar[int]
    vacations: _containers.RepeatedCompositeFieldContainer[Vacation]
    left: int
    def __init__(self, vacations: _Optional[_Iterable[_Union[Vacation, _Mapping]]] = ..., left: _Optional[int] = ...) -> None: ...

class Vacation(_message.Message):
    __slots__ = ("id", "begins", "ends")
    ID_FIELD_NUMBER: _ClassVar[int]
    BEGINS_FIELD_NUMBER: _ClassVar[int]
    ENDS_FIELD_NUMBER: _ClassVar[int]
    id: int
    begins: int
    ends: int
    def __init__(self, id: _Optional[int] = ..., begins: _Optional[int] = ..., ends: _Optional[int] = ...) -> None: ...

class AddVacation(_message.Message):
    __slots__ = ("begins", "ends")
    BEGINS_FIELD_NUMBER: _ClassVar[int]
    ENDS_FIELD_NUMBER: _ClassVar[int]
    begins: int
    ends: int
    def __init__(self, begins: _Optional[int] = ..., ends: _Optional[int] = ...) -> None: ...

class EndVacation(_message.Message):
    __slots__ = ("id",)
    ID_FIELD_NUMBER: _ClassVar[int]
    id: int
    def __init__(self, id: _Optional[int] = ...) -> None: ...

class GetTalk(_message.Message):
    __slots__ = ("game",)
    GAME_FIELD_NUMBER: _ClassVar[int]
    game: str
    def __init__(self, game: _Optional[str] = ...) -> None: ...

class Talk(_message.Message):
    __slots__ = ("game", "press", "words", "muted", "blocked", "silenced", "reason", "moderates")
    GAME_FIELD_NUMBER: _ClassVar[int]
    PRESS_FIELD_NUMBER: _ClassVar[int]
    WORDS_FIELD_NUMBER: _ClassVar[int]
    MUTED_FIELD_NUMBER: _ClassVar[int]
    BLOCKED_FIELD_NUMBER: _ClassVar[int]
    SILENCED_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    MODERATES_FIELD_NUMBER: _ClassVar[int]
    game: str
    press: str
    words: str
    muted: bool
    blocked: _containers.RepeatedCompositeFieldContainer[BlockedAccount]
    silenced: int
    reason: str
    moderates: bool
    def __init__(self, game: _Optional[str] = ..., press: _Optional[str] = ..., words: _Optional[str] = ..., muted: _Optional[bool] = ..., blocked: _Optional[_Iterable[_Union[BlockedAccount, _Mapping]]] = ..., silenced: _Optional[int] = ..., reason: _Optional[str] = ..., moderates: _Optional[bool] = ...) -> None: ...

class BlockedAccount(_message.Message):
    __slots__ = ("name", "game", "player")
    NAME_FIELD_NUMBER: _ClassVar[int]
    GAME_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    name: str
    game: str
    player: int
    def __init__(self, name: _Optional[str] = ..., game: _Optional[str] = ..., player: _Optional[int] = ...) -> None: ...

class SetMute(_message.Message):
    __slots__ = ("game", "muted")
    GAME_FIELD_NUMBER: _ClassVar[int]
    MUTED_FIELD_NUMBER: _ClassVar[int]
    game: str
    muted: bool
    def __init__(self, game: _Optional[str] = ..., muted: _Optional[bool] = ...) -> None: ...

class SetBlock(_message.Message):
    __slots__ = ("name", "player", "blocked", "game")
    NAME_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    BLOCKED_FIELD_NUMBER: _ClassVar[int]
    GAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    player: int
    blocked: bool
    game: str
    def __init__(self, name: _Optional[str] = ..., player: _Optional[int] = ..., blocked: _Optional[bool] = ..., game: _Optional[str] = ...) -> None: ...

class SetSilence(_message.Message):
    __slots__ = ("name", "days", "reason")
    NAME_FIELD_NUMBER: _ClassVar[int]
    DAYS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    name: str
    days: int
    reason: str
    def __init__(self, name: _Optional[str] = ..., days: _Optional[int] = ..., reason: _Optional[str] = ...) -> None: ...

class ReportMessage(_message.Message):
    __slots__ = ("slot", "subject", "reason", "spectators")
    SLOT_FIELD_NUMBER: _ClassVar[int]
    SUBJECT_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    SPECTATORS_FIELD_NUMBER: _ClassVar[int]
    slot: int
    subject: str
    reason: str
    spectators: bool
    def __init__(self, slot: _Optional[int] = ..., subject: _Optional[str] = ..., reason: _Optional[str] = ..., spectators: _Optional[bool] = ...) -> None: ...

class GetMessageReports(_message.Message):
    __slots__ = ("start", "closed")
    START_FIELD_NUMBER: _ClassVar[int]
    CLOSED_FIELD_NUMBER: _ClassVar[int]
    start: int
    closed: bool
    def __init__(self, start: _Optional[int] = ..., closed: _Optional[bool] = ...) -> None: ...

class MessageReports(_message.Message):
    __slots__ = ("reports", "following")
    REPORTS_FIELD_NUMBER: _ClassVar[int]
    FOLLOWING_FIELD_NUMBER: _ClassVar[int]
    reports: _containers.RepeatedCompositeFieldContainer[MessageReport]
    following: int
    def __init__(self, reports: _Optional[_Iterable[_Union[MessageReport, _Mapping]]] = ..., following: _Optional[int] = ...) -> None: ...

class MessageReport(_message.Message):
    __slots__ = ("id", "at", "reporter", "writer", "game", "turn", "written", "subject", "body", "reason", "decision", "closed", "closed_by", "answer")
    ID_FIELD_NUMBER: _ClassVar[int]
    AT_FIELD_NUMBER: _ClassVar[int]
    REPORTER_FIELD_NUMBER: _ClassVar[int]
    WRITER_FIELD_NUMBER: _ClassVar[int]
    GAME_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    WRITTEN_FIELD_NUMBER: _ClassVar[int]
    SUBJECT_FIELD_NUMBER: _ClassVar[int]
    BODY_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    DECISION_FIELD_NUMBER: _ClassVar[int]
    CLOSED_FIELD_NUMBER: _ClassVar[int]
    CLOSED_BY_FIELD_NUMBER: _ClassVar[int]
    ANSWER_FIELD_NUMBER: _ClassVar[int]
    id: int
    at: int
    reporter: str
    writer: str
    game: str
    turn: int
    written: int
    subject: str
    body: str
    reason: str
    decision: str
    closed: int
    closed_by: str
    answer: str
    def __init__(self, id: _Optional[int] = ..., at: _Optional[int] = ..., reporter: _Optional[str] = ..., writer: _Optional[str] = ..., game: _Optional[str] = ..., turn: _Optional[int] = ..., written: _Optional[int] = ..., subject: _Optional[str] = ..., body: _Optional[str] = ..., reason: _Optional[str] = ..., decision: _Optional[str] = ..., closed: _Optional[int] = ..., closed_by: _Optional[str] = ..., answer: _Optional[str] = ...) -> None: ...

class CloseReport(_message.Message):
    __slots__ = ("id", "decision", "answer", "days")
    ID_FIELD_NUMBER: _ClassVar[int]
    DECISION_FIELD_NUMBER: _ClassVar[int]
    ANSWER_FIELD_NUMBER: _ClassVar[int]
    DAYS_FIELD_NUMBER: _ClassVar[int]
    id: int
    decision: str
    answer: str
    days: int
    def __init__(self, id: _Optional[int] = ..., decision: _Optional[str] = ..., answer: _Optional[str] = ..., days: _Optional[int] = ...) -> None: ...

class RenameGame(_message.Message):
    __slots__ = ("game", "name")
    GAME_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    game: str
    name: str
    def __init__(self, game: _Optional[str] = ..., name: _Optional[str] = ...) -> None: ...

class SetJoin(_message.Message):
    __slots__ = ("game", "invited")
    GAME_FIELD_NUMBER: _ClassVar[int]
    INVITED_FIELD_NUMBER: _ClassVar[int]
    game: str
    invited: bool
    def __init__(self, game: _Optional[str] = ..., invited: _Optional[bool] = ...) -> None: ...

class SetWatchDelay(_message.Message):
    __slots__ = ("game", "watch_delay", "unwatched")
    GAME_FIELD_NUMBER: _ClassVar[int]
    WATCH_DELAY_FIELD_NUMBER: _ClassVar[int]
    UNWATCHED_FIELD_NUMBER: _ClassVar[int]
    game: str
    watch_delay: int
    unwatched: bool
    def __init__(self, game: _Optional[str] = ..., watch_delay: _Optional[int] = ..., unwatched: _Optional[bool] = ...) -> None: ...

class AbortGame(_message.Message):
    __slots__ = ("game", "reason")
    GAME_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    game: str
    reason: str
    def __init__(self, game: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class HandOverGame(_message.Message):
    __slots__ = ("game", "account", "player")
    GAME_FIELD_NUMBER: _ClassVar[int]
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    game: str
    account: str
    player: int
    def __init__(self, game: _Optional[str] = ..., account: _Optional[str] = ..., player: _Optional[int] = ...) -> None: ...

class PlayAsGuest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Guest(_message.Message):
    __slots__ = ("name", "secret", "days")
    NAME_FIELD_NUMBER: _ClassVar[int]
    SECRET_FIELD_NUMBER: _ClassVar[int]
    DAYS_FIELD_NUMBER: _ClassVar[int]
    name: str
    secret: str
    days: int
    def __init__(self, name: _Optional[str] = ..., secret: _Optional[str] = ..., days: _Optional[int] = ...) -> None: ...

class BecomeAccount(_message.Message):
    __slots__ = ("username", "password", "email")
    USERNAME_FIELD_NUMBER: _ClassVar[int]
    PASSWORD_FIELD_NUMBER: _ClassVar[int]
    EMAIL_FIELD_NUMBER: _ClassVar[int]
    username: str
    password: str
    email: str
    def __init__(self, username: _Optional[str] = ..., password: _Optional[str] = ..., email: _Optional[str] = ...) -> None: ...

class GetProviders(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Providers(_message.Message):
    __slots__ = ("providers", "has_password")
    PROVIDERS_FIELD_NUMBER: _ClassVar[int]
    HAS_PASSWORD_FIELD_NUMBER: _ClassVar[int]
    providers: _containers.RepeatedCompositeFieldContainer[Provider]
    has_password: bool
    def __init__(self, providers: _Optional[_Iterable[_Union[Provider, _Mapping]]] = ..., has_password: _Optional[bool] = ...) -> None: ...

class Provider(_message.Message):
    __slots__ = ("id", "name", "makes_accounts", "connected")
    ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    MAKES_ACCOUNTS_FIELD_NUMBER: _ClassVar[int]
    CONNECTED_FIELD_NUMBER: _ClassVar[int]
    id: str
    name: str
    makes_accounts: bool
    connected: bool
    def __init__(self, id: _Optional[str] = ..., name: _Optional[str] = ..., makes_accounts: _Optional[bool] = ..., connected: _Optional[bool] = ...) -> None: ...

class ConnectProvider(_message.Message):
    __slots__ = ("provider", "password")
    PROVIDER_FIELD_NUMBER: _ClassVar[int]
    PASSWORD_FIELD_NUMBER: _ClassVar[int]
    provider: str
    password: str
    def __init__(self, provider: _Optional[str] = ..., password: _Optional[str] = ...) -> None: ...

class DisconnectProvider(_message.Message):
    __slots__ = ("provider",)
    PROVIDER_FIELD_NUMBER: _ClassVar[int]
    provider: str
    def __init__(self, provider: _Optional[str] = ...) -> None: ...
