-- The store's first schema. Statements are applied in order, in one transaction, and never changed afterwards:
-- what comes later is a file of its own.

-- Single values. Names that begin with `store.` are the store's own (the counter, the database's UUID); the others are what
-- the gateway remembers.
CREATE TABLE settings (
    name  TEXT PRIMARY KEY,
    value ANY
) STRICT, WITHOUT ROWID;

CREATE TABLE collections (
    key       INTEGER PRIMARY KEY,
    scope     TEXT NOT NULL,
    name      TEXT NOT NULL,
    is_hidden INTEGER NOT NULL DEFAULT 0,
    -- While a change of `is_hidden` is being carried out on the documents: the last one that was looked at, 0 for none yet.
    pending   INTEGER,
    UNIQUE (scope, name)
) STRICT;

INSERT INTO collections (key, scope, name) VALUES (1, '_default', '_default');

-- One row a document, wherever it lives. The winning revision's body stands in the row, last, so that feeds do not read it.
CREATE TABLE documents (
    key                 INTEGER PRIMARY KEY,
    collection          INTEGER NOT NULL,
    -- The legacy ID: the name in the unified keyspace. Null in a hidden collection.
    unified_id          TEXT,
    -- The ID in the collection, where it is not the legacy ID.
    local_id            TEXT,
    -- The place in the unified feed. Null in a hidden collection.
    sequence            INTEGER,
    -- The place in the collection's feed: equal to `sequence` until the document is moved.
    collection_sequence INTEGER NOT NULL,
    -- The winning revision.
    revision            TEXT NOT NULL,
    flags               INTEGER NOT NULL,
    -- Milliseconds since 1970.
    modified            INTEGER NOT NULL,
    body_size           INTEGER NOT NULL,
    tree                BLOB NOT NULL,
    attachments         BLOB,
    body                BLOB
) STRICT;

-- Nearly every document's ID in its collection is its legacy ID, so one index serves both; the second is for the others.
CREATE UNIQUE INDEX documents_by_unified_id ON documents (unified_id);
CREATE UNIQUE INDEX documents_by_local_id ON documents (collection, local_id) WHERE local_id IS NOT NULL;
CREATE UNIQUE INDEX documents_by_sequence ON documents (sequence);
CREATE UNIQUE INDEX documents_by_collection_sequence ON documents (collection, collection_sequence);

-- How many documents each scope holds, kept up to date by every commit. Scope 0 is the unified keyspace.
CREATE TABLE document_counts (
    scope      INTEGER PRIMARY KEY,
    live       INTEGER NOT NULL,
    tombstones INTEGER NOT NULL,
    conflicted INTEGER NOT NULL,
    misplaced  INTEGER NOT NULL,
    qualified  INTEGER NOT NULL
) STRICT;

-- Bodies of losing leaves, which are kept, and of recent ancestors, which age: a higher key is newer.
CREATE TABLE bodies (
    key         INTEGER PRIMARY KEY,
    document    INTEGER NOT NULL,
    revision    TEXT NOT NULL,
    is_leaf     INTEGER NOT NULL,
    attachments BLOB,
    body        BLOB
) STRICT;

CREATE UNIQUE INDEX bodies_by_revision ON bodies (document, revision);

-- Where documents went that were moved out of a collection.
CREATE TABLE departures (
    collection INTEGER NOT NULL,
    id         TEXT NOT NULL,
    document   INTEGER NOT NULL,
    sequence   INTEGER NOT NULL,
    PRIMARY KEY (collection, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX departures_by_sequence ON departures (collection, sequence);
CREATE INDEX departures_by_document ON departures (document);

-- `_local/` documents of 1.x (kind 0) and checkpoints of 2.x+ (kind 1). Scope 0 is the unified keyspace.
CREATE TABLE local_documents (
    kind     INTEGER NOT NULL,
    scope    INTEGER NOT NULL,
    id       TEXT NOT NULL,
    revision INTEGER NOT NULL,
    modified INTEGER NOT NULL,
    body     BLOB NOT NULL,
    PRIMARY KEY (kind, scope, id)
) STRICT, WITHOUT ROWID;

-- Attachments, once each, named by the SHA-1 of their bytes. The digest is null while bytes are still coming in.
CREATE TABLE attachments (
    key      INTEGER PRIMARY KEY,
    digest   BLOB UNIQUE,
    length   INTEGER NOT NULL,
    -- When it came or was last let go of, in milliseconds since 1970.
    modified INTEGER NOT NULL,
    -- How many documents use it.
    uses     INTEGER NOT NULL DEFAULT 0
) STRICT;

-- What may be collected as garbage, the oldest first.
CREATE INDEX attachments_unused ON attachments (modified) WHERE uses = 0;

-- Their bytes in parts of one size. Position is the attachment's key * 2^20 + the part's number.
CREATE TABLE attachment_parts (
    position INTEGER PRIMARY KEY,
    bytes    BLOB NOT NULL
) STRICT;

-- Other names of an attachment, such as the MD5 by which CouchDB knows it.
CREATE TABLE attachment_aliases (
    digest     TEXT PRIMARY KEY,
    attachment INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX attachment_aliases_by_attachment ON attachment_aliases (attachment);

CREATE TABLE attachment_uses (
    document   INTEGER NOT NULL,
    attachment INTEGER NOT NULL,
    PRIMARY KEY (document, attachment)
) STRICT, WITHOUT ROWID;

CREATE INDEX attachment_uses_by_attachment ON attachment_uses (attachment);

-- The version vector of a revision that a 4.x client may see.
CREATE TABLE vectors (
    document INTEGER NOT NULL,
    revision TEXT NOT NULL,
    vector   TEXT NOT NULL,
    PRIMARY KEY (document, revision)
) STRICT, WITHOUT ROWID;

-- The last revision-tree ID that a 4.x client, by its UUID, remembers of a document.
CREATE TABLE client_revisions (
    document INTEGER NOT NULL,
    client   TEXT NOT NULL,
    revision TEXT NOT NULL,
    PRIMARY KEY (document, client)
) STRICT, WITHOUT ROWID;

-- The journal of runs that move documents between collections.
CREATE TABLE move_runs (
    key      INTEGER PRIMARY KEY,
    started  INTEGER NOT NULL,
    finished INTEGER,
    state    INTEGER NOT NULL,
    routes   TEXT NOT NULL,
    cursor   INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE moves (
    run             INTEGER NOT NULL,
    document        INTEGER NOT NULL,
    from_collection INTEGER NOT NULL,
    from_unified_id TEXT,
    from_local_id   TEXT,
    PRIMARY KEY (run, document)
) STRICT, WITHOUT ROWID;
