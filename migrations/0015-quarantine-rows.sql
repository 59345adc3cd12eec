-- The quarantine tells rows of one ID apart by their places, and the store knows the attachments that never came.

ALTER TABLE quarantine RENAME TO quarantine_before;

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
    -- Where it stands in a source that may have several rows of one ID: `byte 1804137`. Empty elsewhere.
    place      TEXT NOT NULL,
    reason     TEXT NOT NULL,
    -- Milliseconds since 1970.
    modified   INTEGER NOT NULL,
    -- How many bytes the source has of it: more than are kept here where it is very large.
    length     INTEGER NOT NULL,
    bytes      BLOB NOT NULL,
    UNIQUE (collection, id, revision, place, source)
) STRICT;

INSERT INTO quarantine (key, run, source, collection, id, revision, place, reason, modified, length, bytes)
SELECT key, run, source, collection, id, revision, '', reason, modified, length(bytes), bytes FROM quarantine_before;

DROP TABLE quarantine_before;

-- Attachments that kept revisions of a document name, and whose bytes the store does not have.
CREATE TABLE missing_attachments (
    document INTEGER NOT NULL,
    -- As the document names it. Empty where it gives no digest.
    digest   TEXT NOT NULL,
    PRIMARY KEY (document, digest)
) STRICT, WITHOUT ROWID;

CREATE INDEX missing_attachments_by_digest ON missing_attachments (digest);
