-- Revisions that an upstream, or this side, has refused: each is kept with its reason until it is retried or overtaken, and holds up nothing else.
CREATE TABLE parked_revisions (
    key         INTEGER PRIMARY KEY,
    replication TEXT NOT NULL,
    -- 0: it was pushed; 1: it was pulled.
    direction   INTEGER NOT NULL,
    -- `scope.name`, empty for the unified keyspace.
    collection  TEXT NOT NULL,
    id          TEXT NOT NULL,
    revision    TEXT NOT NULL,
    -- The error: its domain, code and text.
    domain      TEXT NOT NULL,
    code        INTEGER NOT NULL,
    reason      TEXT NOT NULL,
    -- Milliseconds since 1970.
    first_seen  INTEGER NOT NULL,
    last_seen   INTEGER NOT NULL,
    attempts    INTEGER NOT NULL,
    UNIQUE (replication, direction, collection, id, revision)
) STRICT;

-- Refusals for which there was no room: only their number is kept.
CREATE TABLE parked_surplus (
    replication TEXT NOT NULL,
    direction   INTEGER NOT NULL,
    count       INTEGER NOT NULL,
    PRIMARY KEY (replication, direction)
) STRICT, WITHOUT ROWID;
