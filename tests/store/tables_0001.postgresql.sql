-- The tables of version 0001 on PostgreSQL, as its migration made them when it was the only one.

CREATE TABLE tpserver_version (
    version_num VARCHAR(32) NOT NULL,
    CONSTRAINT tpserver_version_pkc PRIMARY KEY (version_num)
);

CREATE TABLE accounts (
    id SERIAL NOT NULL,
    name TEXT NOT NULL,
    name_key TEXT NOT NULL,
    password_hash TEXT NOT NULL,
    email TEXT NOT NULL,
    comment TEXT NOT NULL,
    created DOUBLE PRECISION NOT NULL,
    bot BOOLEAN NOT NULL,
    CONSTRAINT pk_accounts PRIMARY KEY (id),
    CONSTRAINT uq_accounts_name_key UNIQUE (name_key)
);

CREATE TABLE games (
    id SERIAL NOT NULL,
    name TEXT NOT NULL,
    name_key TEXT NOT NULL,
    ruleset TEXT NOT NULL,
    ruleset_version INTEGER NOT NULL,
    options TEXT NOT NULL,
    seed BYTEA NOT NULL,
    clock TEXT NOT NULL,
    "join" TEXT NOT NULL,
    state TEXT NOT NULL,
    held_reason TEXT NOT NULL,
    turn INTEGER NOT NULL,
    created DOUBLE PRECISION NOT NULL,
    started DOUBLE PRECISION,
    deadline DOUBLE PRECISION,
    "left" DOUBLE PRECISION,
    bots INTEGER NOT NULL,
    CONSTRAINT pk_games PRIMARY KEY (id),
    CONSTRAINT uq_games_name_key UNIQUE (name_key),
    CONSTRAINT ck_games_join CHECK ("join" IN ('open', 'invited')),
    CONSTRAINT ck_games_state CHECK (state IN ('waiting', 'running', 'paused', 'held', 'over'))
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

CREATE TABLE journal (
    game INTEGER NOT NULL,
    number INTEGER NOT NULL,
    turn INTEGER NOT NULL,
    at DOUBLE PRECISION NOT NULL,
    seat INTEGER,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    CONSTRAINT pk_journal PRIMARY KEY (game, number),
    CONSTRAINT fk_journal_game FOREIGN KEY(game) REFERENCES games (id)
);

CREATE TABLE snapshots (
    game INTEGER NOT NULL,
    turn INTEGER NOT NULL,
    journal_number INTEGER NOT NULL,
    at DOUBLE PRECISION NOT NULL,
    phase TEXT NOT NULL,
    title TEXT NOT NULL,
    digest TEXT NOT NULL,
    state BYTEA NOT NULL,
    events BYTEA NOT NULL,
    outcome TEXT NOT NULL,
    CONSTRAINT pk_snapshots PRIMARY KEY (game, turn),
    CONSTRAINT fk_snapshots_game FOREIGN KEY(game) REFERENCES games (id)
);

CREATE TABLE views (
    game INTEGER NOT NULL,
    seat INTEGER NOT NULL,
    data BYTEA NOT NULL,
    CONSTRAINT pk_views PRIMARY KEY (game, seat),
    CONSTRAINT fk_views_game FOREIGN KEY(game) REFERENCES games (id)
);

CREATE TABLE boards (
    game INTEGER NOT NULL,
    board INTEGER NOT NULL,
    last_number INTEGER NOT NULL,
    CONSTRAINT pk_boards PRIMARY KEY (game, board),
    CONSTRAINT fk_boards_game FOREIGN KEY(game) REFERENCES games (id)
);

CREATE TABLE messages (
    game INTEGER NOT NULL,
    board INTEGER NOT NULL,
    number INTEGER NOT NULL,
    turn INTEGER NOT NULL,
    at DOUBLE PRECISION NOT NULL,
    sender INTEGER,
    subject TEXT NOT NULL,
    body TEXT NOT NULL,
    "references" TEXT NOT NULL,
    CONSTRAINT pk_messages PRIMARY KEY (game, board, number),
    CONSTRAINT fk_messages_game_board FOREIGN KEY(game, board) REFERENCES boards (game, board)
);

INSERT INTO tpserver_version (version_num) VALUES ('0001');
