-- The tables of version 0001 on SQLite, as its migration made them when it was the only one.

CREATE TABLE accounts (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    name_key TEXT NOT NULL,
    password_hash TEXT NOT NULL,
    email TEXT NOT NULL,
    comment TEXT NOT NULL,
    created DOUBLE NOT NULL,
    bot BOOLEAN NOT NULL,
    CONSTRAINT uq_accounts_name_key UNIQUE (name_key)
);

CREATE TABLE boards (
    game INTEGER NOT NULL,
    board INTEGER NOT NULL,
    last_number INTEGER NOT NULL,
    CONSTRAINT pk_boards PRIMARY KEY (game, board),
    CONSTRAINT fk_boards_game FOREIGN KEY(game) REFERENCES games (id)
);

CREATE TABLE games (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    name_key TEXT NOT NULL,
    ruleset TEXT NOT NULL,
    ruleset_version INTEGER NOT NULL,
    options TEXT NOT NULL,
    seed BLOB NOT NULL,
    clock TEXT NOT NULL,
    "join" TEXT NOT NULL,
    state TEXT NOT NULL,
    held_reason TEXT NOT NULL,
    turn INTEGER NOT NULL,
    created DOUBLE NOT NULL,
    started DOUBLE,
    deadline DOUBLE,
    "left" DOUBLE,
    bots INTEGER NOT NULL,
    CONSTRAINT uq_games_name_key UNIQUE (name_key),
    CONSTRAINT ck_games_join CHECK ("join" IN ('open', 'invited')),
    CONSTRAINT ck_games_state CHECK (state IN ('waiting', 'running', 'paused', 'held', 'over'))
);

CREATE TABLE journal (
    game INTEGER NOT NULL,
    number INTEGER NOT NULL,
    turn INTEGER NOT NULL,
    at DOUBLE NOT NULL,
    seat INTEGER,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    CONSTRAINT pk_journal PRIMARY KEY (game, number),
    CONSTRAINT fk_journal_game FOREIGN KEY(game) REFERENCES games (id)
)
 WITHOUT ROWID

;

CREATE TABLE messages (
    game INTEGER NOT NULL,
    board INTEGER NOT NULL,
    number INTEGER NOT NULL,
    turn INTEGER NOT NULL,
    at DOUBLE NOT NULL,
    sender INTEGER,
    subject TEXT NOT NULL,
    body TEXT NOT NULL,
    "references" TEXT NOT NULL,
    CONSTRAINT pk_messages PRIMARY KEY (game, board, number),
    CONSTRAINT fk_messages_game_board FOREIGN KEY(game, board) REFERENCES boards (game, board)
);

CREATE TABLE seats (
    game INTEGER NOT NULL,
    seat INTEGER NOT NULL,
    account INTEGER,
    name TEXT NOT NULL,
    bot BOOLEAN NOT NULL,
    CONSTRAINT pk_seats PRIMARY KEY (game, seat),
    CONSTRAINT fk_seats_game FOREIGN KEY(game) REFERENCES games (id),
    CONSTRAINT fk_seats_account FOREIGN KEY(account) REFERENCES accounts (id),
    CONSTRAINT uq_seats_game_account UNIQUE (game, account)
);

CREATE TABLE snapshots (
    game INTEGER NOT NULL,
    turn INTEGER NOT NULL,
    journal_number INTEGER NOT NULL,
    at DOUBLE NOT NULL,
    phase TEXT NOT NULL,
    title TEXT NOT NULL,
    digest TEXT NOT NULL,
    state BLOB NOT NULL,
    events BLOB NOT NULL,
    outcome TEXT NOT NULL,
    CONSTRAINT pk_snapshots PRIMARY KEY (game, turn),
    CONSTRAINT fk_snapshots_game FOREIGN KEY(game) REFERENCES games (id)
);

CREATE TABLE tpserver_version (
    version_num VARCHAR(32) NOT NULL,
    CONSTRAINT tpserver_version_pkc PRIMARY KEY (version_num)
);

INSERT INTO "tpserver_version" VALUES('0001');

CREATE TABLE views (
    game INTEGER NOT NULL,
    seat INTEGER NOT NULL,
    data BLOB NOT NULL,
    CONSTRAINT pk_views PRIMARY KEY (game, seat),
    CONSTRAINT fk_views_game FOREIGN KEY(game) REFERENCES games (id)
);
