-- Runs that bring documents in from elsewhere, and what could not be brought in.

CREATE TABLE migration_runs (
    key      INTEGER PRIMARY KEY,
    -- The source as messages call it, and what tells it from another one at the same place.
    source   TEXT NOT NULL,
    identity TEXT,
    -- What has to be the same for a run to be gone on with.
    routes   TEXT NOT NULL,
    options  TEXT NOT NULL,
    -- Milliseconds since 1970.
    started  INTEGER NOT NULL,
    finished INTEGER,
    state    INTEGER NOT NULL,
    -- Where the last batch that was written ended, in the source's own words. Null before the first.
    cursor   TEXT,
    -- JSON of what was counted until there.
    counts   TEXT NOT NULL
) STRICT;

-- Documents, or revisions of them, that could not be written, with what the source has of them.
CREATE TABLE quarantine (
    key        INTEGER PRIMARY KEY,
    run        INTEGER NOT NULL,
    source     TEXT NOT NULL,
    -- Where the source has it, `scope.name`.
    collection TEXT NOT NULL,
    id         TEXT NOT NULL,
    -- Empty where the whole document is at fault.
    revision   TEXT NOT NULL,
    reason     TEXT NOT NULL,
    -- Milliseconds since 1970.
    modified   INTEGER NOT NULL,
    bytes      BLOB NOT NULL,
    UNIQUE (collection, id, revision)
) STRICT;
