-- The schema of a store: the baseline of the first release. A new store is created from it in one transaction.
-- Released files are not changed. A later change of the schema is a file of its own with the next number.
--
-- Unless a comment says otherwise:
-- - Times are milliseconds since 1970.
-- - A `document` is a key of `documents`, a `collection` a key of `collections`.
-- - A `scope` is a collection, or 0 for the unified keyspace.
-- - A `sequence` is a value of the database's one counter (`store.counter`).

-- Settings

-- Single values by name. Names that begin with `store.` belong to the store, the others to the modules above it.
-- - `store.uuid`, `store.counter`, `store.origin`: the database's UUID, its last sequence, and its first one. The program adds them at the first
--   opening.
-- - `store.readers`: present as soon as a client may have read a feed.
CREATE TABLE settings (
    name  TEXT PRIMARY KEY,
    value ANY
) STRICT, WITHOUT ROWID;

-- The number of changes of collections. Values in memory that were computed from collections are valid while it stays the same.
INSERT INTO settings (name, value) VALUES ('store.collections', 1);

-- The number of changes of access: of users, roles and grants.
INSERT INTO settings (name, value) VALUES ('store.access', 1);

-- The number of `store.access` at the last change that concerned every user.
INSERT INTO settings (name, value) VALUES ('store.access.everyone', 0);

-- The last sequence at which a document entered or left a channel without a change of the document.
INSERT INTO settings (name, value) VALUES ('store.channels.apart', 0);

-- Collections

CREATE TABLE collections (
    key           INTEGER PRIMARY KEY,
    scope         TEXT NOT NULL,
    name          TEXT NOT NULL,
    -- Whether the unified keyspace excludes its documents.
    is_hidden     INTEGER NOT NULL DEFAULT 0,
    -- The last document to which a change of `is_hidden` was applied, 0 before the first. Null if no change is in progress.
    pending       INTEGER,
    -- The sync function (JavaScript) as last configured: empty for the default function, null if none was configured for this collection.
    sync_function TEXT,
    UNIQUE (scope, name)
) STRICT;

INSERT INTO collections (key, scope, name) VALUES (1, '_default', '_default');

-- Documents and revisions

-- One row per document, in any collection. The body of the winning revision is the last column, so that reads of feeds skip it.
CREATE TABLE documents (
    key                 INTEGER PRIMARY KEY,
    collection          INTEGER NOT NULL,
    -- The legacy ID: the ID in the unified keyspace. Null in a hidden collection.
    unified_id          TEXT,
    -- The ID in the collection, if it differs from the legacy ID.
    local_id            TEXT,
    -- The position in the unified feed. Null in a hidden collection.
    sequence            INTEGER,
    -- The position in the collection's feed. It is equal to `sequence` until the document is moved.
    collection_sequence INTEGER NOT NULL,
    -- The winning revision's ID.
    revision            TEXT NOT NULL,
    -- Bits: 1 deleted, 2 more than one leaf, 4 more than one live leaf. `DocumentFlags` lists all.
    flags               INTEGER NOT NULL,
    -- The time of the last change in this store.
    modified            INTEGER NOT NULL,
    -- The size of `body` in bytes.
    body_size           INTEGER NOT NULL,
    -- The revision tree.
    tree                BLOB NOT NULL,
    -- The attachments of the winning revision.
    attachments         BLOB,
    body                BLOB
) STRICT;

-- The ID of almost every document in its collection is its legacy ID, so one index serves both. The second index has the other documents.
CREATE UNIQUE INDEX documents_by_unified_id ON documents (unified_id);
CREATE UNIQUE INDEX documents_by_local_id ON documents (collection, local_id) WHERE local_id IS NOT NULL;
CREATE UNIQUE INDEX documents_by_sequence ON documents (sequence);
CREATE UNIQUE INDEX documents_by_collection_sequence ON documents (collection, collection_sequence);

-- The documents with more than one live leaf (bit 4 of the flags), for lists of conflicts.
CREATE INDEX documents_conflicted ON documents (key) WHERE flags & 4 <> 0;

-- The number of documents per scope, updated by every commit.
CREATE TABLE document_counts (
    scope      INTEGER PRIMARY KEY,
    live       INTEGER NOT NULL,
    tombstones INTEGER NOT NULL,
    -- With more than one live leaf.
    conflicted INTEGER NOT NULL,
    -- In another collection than the one that the present routes give.
    misplaced  INTEGER NOT NULL,
    -- With a qualified legacy ID.
    qualified  INTEGER NOT NULL
) STRICT;

-- The bodies of losing leaves, which are kept, and of recent ancestors, which are deleted in time. A higher key is newer.
CREATE TABLE bodies (
    key         INTEGER PRIMARY KEY,
    document    INTEGER NOT NULL,
    revision    TEXT NOT NULL,
    is_leaf     INTEGER NOT NULL,
    attachments BLOB,
    body        BLOB,
    -- The channels of the revision, separated by commas. Readers of the winner may be denied an ancestor.
    channels    TEXT
) STRICT;

CREATE UNIQUE INDEX bodies_by_revision ON bodies (document, revision);

-- The winning revision of a document with a long history from a sequence on: the revision of a client that has read the feed up to there.
CREATE TABLE history_marks (
    document INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    revision TEXT NOT NULL,
    PRIMARY KEY (document, sequence)
) STRICT, WITHOUT ROWID;

-- The times at which documents expire. Few documents do, so the times have a table of their own.
CREATE TABLE expiries (
    document INTEGER PRIMARY KEY,
    time     INTEGER NOT NULL
) STRICT;

CREATE INDEX expiries_by_time ON expiries (time);

-- The places of purged documents. A document that is written again with the same legacy ID returns to them.
CREATE TABLE purged_places (
    unified_id TEXT NOT NULL,
    collection INTEGER NOT NULL,
    id         TEXT NOT NULL,
    PRIMARY KEY (unified_id, collection, id)
) STRICT, WITHOUT ROWID;

-- Attachments

-- Each attachment once, by the SHA-1 of its bytes.
CREATE TABLE attachments (
    key      INTEGER PRIMARY KEY,
    -- Null while the bytes are being received.
    digest   BLOB UNIQUE,
    length   INTEGER NOT NULL,
    -- The time of its arrival, or of the end of its last use.
    modified INTEGER NOT NULL,
    -- The number of documents that use it.
    uses     INTEGER NOT NULL DEFAULT 0
) STRICT;

-- The candidates of the garbage collection, the oldest first.
CREATE INDEX attachments_unused ON attachments (modified) WHERE uses = 0;

-- The bytes of attachments in parts of one size. The position is the attachment's key * 2^20 + the part's number.
CREATE TABLE attachment_parts (
    position INTEGER PRIMARY KEY,
    bytes    BLOB NOT NULL
) STRICT;

-- Other digests of an attachment, such as the MD5 that CouchDB uses.
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

-- Attachments that stored revisions of a document reference and whose bytes the store does not have.
CREATE TABLE missing_attachments (
    document INTEGER NOT NULL,
    -- As the document gives it. Empty if the document gives none.
    digest   TEXT NOT NULL,
    PRIMARY KEY (document, digest)
) STRICT, WITHOUT ROWID;

CREATE INDEX missing_attachments_by_digest ON missing_attachments (digest);

-- Versions

-- The version under which 4.x clients know a document. Each vector includes the earlier ones. Documents that no 4.x client has received have
-- no row.
CREATE TABLE versions (
    document INTEGER PRIMARY KEY,
    -- The revision of the version: the winning revision, unless another one has won since.
    revision TEXT NOT NULL,
    -- In the form of the protocol: `cv;pv,pv` or `cv,mv,mv;pv`.
    vector   TEXT NOT NULL,
    -- The last few earlier versions with their revisions, the newest first, as bases for deltas: `version revision,version revision`.
    earlier  TEXT NOT NULL DEFAULT ''
) STRICT;

-- The last revision-tree ID of a document that a 4.x client has.
CREATE TABLE client_revisions (
    document INTEGER NOT NULL,
    -- The client's UUID.
    client   TEXT NOT NULL,
    revision TEXT NOT NULL,
    PRIMARY KEY (document, client)
) STRICT, WITHOUT ROWID;

-- Feeds and channels

CREATE TABLE channels (
    key  INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
) STRICT;

-- The membership of a document in a channel. The row stays when the document leaves the channel, for the removal in the feed.
CREATE TABLE channel_entries (
    document            INTEGER NOT NULL,
    -- A key of `channels`.
    channel             INTEGER NOT NULL,
    -- The document's collection.
    collection          INTEGER NOT NULL,
    -- The positions in the channel's feeds: of the last change while the document was in the channel, or of the removal. They are the document's
    -- own unless it entered or left without a change of the document (a move, a new sync function). Null in a hidden collection.
    sequence            INTEGER,
    collection_sequence INTEGER NOT NULL,
    -- The sequence at which the document entered the channel.
    since               INTEGER NOT NULL,
    -- The revision with which the document left the channel. Null while it is in the channel.
    left_with           TEXT,
    -- The sequence of the old server's feed at which the document left the channel there: a device that has read further has received the removal.
    -- Null if it left the channel here; the highest integer if the removal can no longer be sent.
    left_upstream       INTEGER,
    PRIMARY KEY (document, channel)
) STRICT, WITHOUT ROWID;

CREATE INDEX channel_entries_by_sequence ON channel_entries (collection, channel, sequence);
CREATE INDEX channel_entries_by_collection_sequence ON channel_entries (collection, channel, collection_sequence);
CREATE INDEX channel_entries_left_upstream ON channel_entries (left_upstream) WHERE left_upstream IS NOT NULL;

-- Access

-- Users (kind 0) and roles (kind 1). Their access is in `grants`.
CREATE TABLE principals (
    key      INTEGER PRIMARY KEY,
    kind     INTEGER NOT NULL,
    name     TEXT NOT NULL,
    email    TEXT,
    -- The sequence of the last change.
    sequence INTEGER NOT NULL,
    -- JSON of the other properties: the hash of the password, whether the account is disabled, the generation of its sessions.
    record   BLOB NOT NULL,
    UNIQUE (kind, name)
) STRICT;

CREATE INDEX principals_by_email ON principals (email) WHERE email IS NOT NULL;

-- The grants that hold. The user or role need not exist yet.
CREATE TABLE grants (
    -- The user or role: kind and name as in `principals`.
    grantee_kind INTEGER NOT NULL,
    grantee      TEXT NOT NULL,
    -- 0: the channel `name` of the collection. 1: the role `name`, with collection 0. 2: an administrator has set the access for the collection
    -- explicitly; `name` is empty.
    kind         INTEGER NOT NULL,
    collection   INTEGER NOT NULL,
    name         TEXT NOT NULL,
    -- The document whose sync function made the grant, 0 for an administrator, -1 for the verifier of a login.
    source       INTEGER NOT NULL,
    -- The sequence from which it holds.
    sequence     INTEGER NOT NULL,
    PRIMARY KEY (grantee_kind, grantee, kind, collection, name, source)
) STRICT, WITHOUT ROWID;

CREATE INDEX grants_by_document ON grants (source) WHERE source > 0;

-- Grants for one named collection: a move looks here whether any exist.
CREATE INDEX grants_by_collection ON grants (collection) WHERE collection > 1;

-- Revoked grants. They held from the sequence `granted` to the sequence `lost`.
CREATE TABLE lost_grants (
    grantee_kind INTEGER NOT NULL,
    grantee      TEXT NOT NULL,
    kind         INTEGER NOT NULL,
    collection   INTEGER NOT NULL,
    name         TEXT NOT NULL,
    -- 1 for documents, 0 for an administrator, -1 for the verifier of a login.
    giver        INTEGER NOT NULL,
    granted      INTEGER NOT NULL,
    lost         INTEGER NOT NULL,
    PRIMARY KEY (grantee_kind, grantee, kind, collection, name, giver, granted)
) STRICT, WITHOUT ROWID;

-- The number of `store.access` at the last change of a user's or role's access.
CREATE TABLE access_changes (
    kind    INTEGER NOT NULL,
    name    TEXT NOT NULL,
    version INTEGER NOT NULL,
    PRIMARY KEY (kind, name)
) WITHOUT ROWID;

-- Login sessions.
CREATE TABLE sessions (
    -- The SHA-256 of the session's ID, so that a copy of the store does not permit a login.
    key        BLOB PRIMARY KEY,
    user       TEXT NOT NULL,
    -- The user's generation of sessions at the creation. The session is invalid if the user has another one.
    generation INTEGER NOT NULL,
    created    INTEGER NOT NULL,
    expires    INTEGER NOT NULL,
    -- The lifetime from the last renewal in milliseconds, 0 for a session that is not renewed.
    ttl        INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX sessions_by_user ON sessions (user);
CREATE INDEX sessions_by_expiry ON sessions (expires);

-- Checkpoints and the fleet

-- Local documents and checkpoints. Kind 0: `_local/` documents of 1.x; 1: checkpoints of 2.x+ clients; 2: checkpoints of the own replicators.
CREATE TABLE local_documents (
    kind     INTEGER NOT NULL,
    scope    INTEGER NOT NULL,
    id       TEXT NOT NULL,
    revision INTEGER NOT NULL,
    modified INTEGER NOT NULL,
    body     BLOB NOT NULL,
    -- The revision of the legacy upstream's copy when it was last read.
    upstream TEXT,
    PRIMARY KEY (kind, scope, id)
) STRICT, WITHOUT ROWID;

-- The last write of each checkpoint in `local_documents`.
CREATE TABLE sightings (
    kind       INTEGER NOT NULL,
    scope      INTEGER NOT NULL,
    id         TEXT NOT NULL,
    -- The user's name. Empty for the guest and for administrators.
    user       TEXT NOT NULL,
    -- The generation of the client's protocol: 1, 2 or 3; 0 for the own replicators.
    generation INTEGER NOT NULL,
    -- The `User-Agent`.
    agent      TEXT NOT NULL,
    -- The last read sequence of this database's feed. Null for a push, and for a position in the old server's feed.
    position   INTEGER,
    first_seen INTEGER NOT NULL,
    last_seen  INTEGER NOT NULL,
    PRIMARY KEY (kind, scope, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX sightings_by_time ON sightings (last_seen);
CREATE INDEX sightings_by_position ON sightings (position) WHERE position IS NOT NULL;

-- The number of checkpoints of each generation that were written on a day. Each checkpoint counts once a day.
CREATE TABLE sighting_days (
    -- Days since 1970, UTC.
    day        INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    clients    INTEGER NOT NULL,
    PRIMARY KEY (day, generation)
) STRICT, WITHOUT ROWID;

-- The requests and open feeds of 1.x clients, with or without checkpoints. The number of rows is limited; the oldest are deleted.
CREATE TABLE visits (
    -- The user's name. Empty for the guest.
    user       TEXT NOT NULL,
    generation INTEGER NOT NULL,
    -- The `User-Agent`.
    agent      TEXT NOT NULL,
    -- An IPv4 address, or the first half of an IPv6 address.
    address    TEXT NOT NULL,
    first_seen INTEGER NOT NULL,
    last_seen  INTEGER NOT NULL,
    PRIMARY KEY (user, generation, agent, address)
) STRICT, WITHOUT ROWID;

CREATE INDEX visits_by_time ON visits (last_seen);

-- The spans of the counter that restores of backups have skipped. Changes in them are lost.
CREATE TABLE fences (
    lower  INTEGER PRIMARY KEY,
    upper  INTEGER NOT NULL,
    -- The time of the restore. Versions of later changes are newer than all lost versions.
    raised INTEGER NOT NULL DEFAULT 0
) STRICT;

-- The legacy upstream

-- The state of the legacy upstream's changes feed: one row while the feed is being recorded.
CREATE TABLE upstream (
    key       INTEGER PRIMARY KEY CHECK (key = 1),
    -- The server and database of the feed.
    source    TEXT NOT NULL,
    -- Incremented when the recorded state is deleted. Positions from an earlier era are ignored.
    era       INTEGER NOT NULL,
    -- Whether the upstream's sequences are opaque texts instead of numbers.
    is_opaque INTEGER NOT NULL DEFAULT 0,
    -- The last ordinal assigned to an opaque sequence, and the leading number of that sequence.
    ordinal   INTEGER NOT NULL DEFAULT 0,
    counted   INTEGER NOT NULL DEFAULT 0,
    -- Every document of the unified keyspace up to this sequence has a row in `upstream_feed`.
    settled   INTEGER NOT NULL DEFAULT 0,
    -- The sequence of the upstream's feed up to which this store has every row that the feed shows; 0 if the sequences are opaque, or if
    -- it is not known.
    pulled    INTEGER NOT NULL DEFAULT 0
) STRICT;

-- The position in the upstream's feed of each document whose present state came from there, by its position in the unified feed.
CREATE TABLE upstream_feed (
    sequence INTEGER PRIMARY KEY,
    ordinal  INTEGER NOT NULL
) STRICT;

CREATE INDEX upstream_feed_by_ordinal ON upstream_feed (ordinal, sequence);

-- The opaque sequences of the upstream, by their SHA-1.
CREATE TABLE upstream_tokens (
    digest  BLOB PRIMARY KEY,
    ordinal INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX upstream_tokens_by_ordinal ON upstream_tokens (ordinal);

-- The state of a device that comes from the old server, by user and position in the old server's feed.
CREATE TABLE upstream_sights (
    -- The user's name, `GUEST` for the guest.
    user     TEXT NOT NULL,
    -- The position in the old server's feed.
    place    TEXT NOT NULL,
    -- JSON: an array of the channels whose documents up to the position the device has completely, `*` for all channels.
    channels TEXT NOT NULL,
    -- The time of the record.
    time     INTEGER NOT NULL,
    -- The latest sequence of this database's feed at which the device has to continue. Null if there is none.
    position INTEGER,
    -- JSON: an array of sequences of this database's feed at which the device receives no removal. Null if there are none.
    silent   TEXT,
    -- The last sequence of this database at the time of the record: the device had complete access to the grants up to there. Null if unknown.
    learned  INTEGER,
    PRIMARY KEY (user, place)
) STRICT, WITHOUT ROWID;

CREATE INDEX upstream_sights_by_time ON upstream_sights (time);

-- Removals from channels on the old server, of documents that are not in this store yet.
CREATE TABLE upstream_losses (
    id      TEXT NOT NULL,
    channel TEXT NOT NULL,
    -- As `left_upstream` in `channel_entries`.
    number  INTEGER,
    PRIMARY KEY (id, channel)
) STRICT, WITHOUT ROWID;

-- Replication

-- Revisions that one side of a replication has refused. They are retried until they are accepted or replaced.
CREATE TABLE parked_revisions (
    key          INTEGER PRIMARY KEY,
    replication  TEXT NOT NULL,
    -- 0: push; 1: pull.
    direction    INTEGER NOT NULL,
    -- `scope.name`. Empty for the unified keyspace.
    collection   TEXT NOT NULL,
    id           TEXT NOT NULL,
    revision     TEXT NOT NULL,
    -- The domain, the code and the text of the error.
    domain       TEXT NOT NULL,
    code         INTEGER NOT NULL,
    reason       TEXT NOT NULL,
    first_seen   INTEGER NOT NULL,
    last_seen    INTEGER NOT NULL,
    attempts     INTEGER NOT NULL,
    -- Whether an administrator has removed a push from the list. The row stays, so that the revision is not offered to the server again.
    is_forgotten INTEGER NOT NULL DEFAULT 0,
    UNIQUE (replication, direction, collection, id, revision)
) STRICT;

-- The number of refused revisions for which `parked_revisions` had no room.
CREATE TABLE parked_surplus (
    replication TEXT NOT NULL,
    direction   INTEGER NOT NULL,
    count       INTEGER NOT NULL,
    PRIMARY KEY (replication, direction)
) STRICT, WITHOUT ROWID;

-- Moves between collections

-- Documents that were moved out of a collection. With the ID first in the key, the rows of a document that is moved and moved back are on
-- one page.
CREATE TABLE departures (
    collection INTEGER NOT NULL,
    id         TEXT NOT NULL,
    document   INTEGER NOT NULL,
    sequence   INTEGER NOT NULL,
    PRIMARY KEY (id, collection)
) STRICT, WITHOUT ROWID;

CREATE INDEX departures_by_sequence ON departures (collection, sequence);
CREATE INDEX departures_by_document ON departures (document);

-- Documents that are back in a collection that they had left, or in the unified keyspace (collection 0). A client of its feed may have a copy
-- although its user lost the access in the meantime.
CREATE TABLE returns (
    document   INTEGER NOT NULL,
    collection INTEGER NOT NULL,
    -- The sequence of the last return.
    sequence   INTEGER NOT NULL,
    PRIMARY KEY (document, collection)
) STRICT, WITHOUT ROWID;

CREATE INDEX returns_by_sequence ON returns (collection, sequence);

-- The runs of in-place migrations.
CREATE TABLE move_runs (
    key      INTEGER PRIMARY KEY,
    started  INTEGER NOT NULL,
    finished INTEGER,
    -- 0: running; 1: done; 2: reverting; 3: reverted.
    state    INTEGER NOT NULL,
    routes   TEXT NOT NULL,
    -- The last examined document.
    cursor   INTEGER NOT NULL DEFAULT 0
) STRICT;

-- The moved documents of a run with their former places, for the revert.
CREATE TABLE moves (
    run             INTEGER NOT NULL,
    document        INTEGER NOT NULL,
    from_collection INTEGER NOT NULL,
    from_unified_id TEXT,
    from_local_id   TEXT,
    PRIMARY KEY (run, document)
) STRICT, WITHOUT ROWID;

-- Imports

-- The runs that import documents from a source.
CREATE TABLE migration_runs (
    key      INTEGER PRIMARY KEY,
    -- The source's name in messages, and the property that distinguishes it from another source at the same address.
    source   TEXT NOT NULL,
    identity TEXT,
    -- The routes and options that a repeated run must have in common.
    routes   TEXT NOT NULL,
    options  TEXT NOT NULL,
    started  INTEGER NOT NULL,
    finished INTEGER,
    -- 0: running; 1: finished; 2: cancelled.
    state    INTEGER NOT NULL,
    -- The end of the last written batch, in the source's own format. Null before the first batch.
    cursor   TEXT,
    -- JSON of the counts up to there.
    counts   TEXT NOT NULL
) STRICT;

-- Documents, or single revisions, that could not be imported, with their content in the source.
CREATE TABLE quarantine (
    key        INTEGER PRIMARY KEY,
    run        INTEGER NOT NULL,
    source     TEXT NOT NULL,
    -- The collection in the source, `scope.name`.
    collection TEXT NOT NULL,
    id         TEXT NOT NULL,
    -- Empty if the whole document is faulty.
    revision   TEXT NOT NULL,
    -- The position in a source that may have several rows with one ID: `byte 1804137`. Empty for other sources.
    place      TEXT NOT NULL,
    reason     TEXT NOT NULL,
    modified   INTEGER NOT NULL,
    -- The length in the source in bytes. Of very large documents only a part is stored in `bytes`.
    length     INTEGER NOT NULL,
    bytes      BLOB NOT NULL,
    UNIQUE (collection, id, revision, place, source)
) STRICT;

-- Cutover

-- The steps of the cutover that were taken, refused by a gate or a hook, or undone, in order. The present stage is a setting.
CREATE TABLE cutover_steps (
    number     INTEGER PRIMARY KEY,
    time       INTEGER NOT NULL,
    from_stage TEXT NOT NULL,
    to_stage   TEXT NOT NULL,
    outcome    TEXT NOT NULL,
    -- Whether gates were overridden, and the administrator's reason.
    forced     INTEGER NOT NULL DEFAULT 0,
    reason     TEXT NOT NULL,
    -- JSON of the gates' measurements.
    gates      TEXT NOT NULL
) STRICT;
