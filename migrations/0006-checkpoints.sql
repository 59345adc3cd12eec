-- What reconciles checkpoints: the feed of the legacy upstream, and who has come how far.

-- One row while a legacy upstream's feed is being noted.
CREATE TABLE upstream (
    key       INTEGER PRIMARY KEY CHECK (key = 1),
    -- Whose feed it is.
    source    TEXT NOT NULL,
    -- Raised whenever what was noted is forgotten, so that what is still under way from before is not noted any more.
    era       INTEGER NOT NULL,
    -- Whether its sequences are opaque texts rather than numbers.
    is_opaque INTEGER NOT NULL DEFAULT 0,
    -- The last ordinal that an opaque sequence was given, and the number that this sequence begins with.
    ordinal   INTEGER NOT NULL DEFAULT 0,
    counted   INTEGER NOT NULL DEFAULT 0,
    -- Every document of the unified keyspace up to this sequence has a row in upstream_feed.
    settled   INTEGER NOT NULL DEFAULT 0
) STRICT;

-- For each document whose present state upstream has shown, by its place in the unified feed: the place in upstream's feed.
CREATE TABLE upstream_feed (
    sequence INTEGER PRIMARY KEY,
    ordinal  INTEGER NOT NULL
) STRICT;

CREATE INDEX upstream_feed_by_ordinal ON upstream_feed (ordinal, sequence);

-- The opaque sequences of upstream, by their SHA-1.
CREATE TABLE upstream_tokens (
    digest  BLOB PRIMARY KEY,
    ordinal INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX upstream_tokens_by_ordinal ON upstream_tokens (ordinal);

-- The revision that upstream's copy of a `_local/` document had when it was last looked at.
ALTER TABLE local_documents ADD COLUMN upstream TEXT;

-- Each checkpoint that clients and replicators of ours keep here, when it was last written: the fleet.
CREATE TABLE sightings (
    kind       INTEGER NOT NULL,
    scope      INTEGER NOT NULL,
    id         TEXT NOT NULL,
    user       TEXT NOT NULL,
    generation INTEGER NOT NULL,
    agent      TEXT NOT NULL,
    -- How far it has read of our feed; null for a push, and while it is an old server's place.
    position   INTEGER,
    first_seen INTEGER NOT NULL,
    last_seen  INTEGER NOT NULL,
    PRIMARY KEY (kind, scope, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX sightings_by_time ON sightings (last_seen);
CREATE INDEX sightings_by_position ON sightings (position) WHERE position IS NOT NULL;

-- How many checkpoints of each generation were written on each day since 1970, each counted once a day.
CREATE TABLE sighting_days (
    day        INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    clients    INTEGER NOT NULL,
    PRIMARY KEY (day, generation)
) STRICT, WITHOUT ROWID;

-- Which revision of a document with a long history won from which sequence on: what a client holds that came up to there.
CREATE TABLE history_marks (
    document INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    revision TEXT NOT NULL,
    PRIMARY KEY (document, sequence)
) STRICT, WITHOUT ROWID;

-- Stretches of the counter that a restored backup has jumped over: what was in them is lost.
CREATE TABLE fences (
    lower INTEGER PRIMARY KEY,
    upper INTEGER NOT NULL
) STRICT;
