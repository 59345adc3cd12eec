-- Who may log in, and what everybody may see.

-- Users (kind 0) and roles (kind 1). What they were given stands in `grants`.
CREATE TABLE principals (
    key      INTEGER PRIMARY KEY,
    kind     INTEGER NOT NULL,
    name     TEXT NOT NULL,
    email    TEXT,
    -- With which change it was last written.
    sequence INTEGER NOT NULL,
    -- JSON of the rest: the hash of the password, whether the account is disabled, the generation of its sessions.
    record   BLOB NOT NULL,
    UNIQUE (kind, name)
) STRICT;

CREATE INDEX principals_by_email ON principals (email) WHERE email IS NOT NULL;

-- Who was given what, by whom and since when. A grant may name users and roles that are not there yet.
CREATE TABLE grants (
    -- Whom: the kind and the name of a user or role.
    grantee_kind INTEGER NOT NULL,
    grantee      TEXT NOT NULL,
    -- What: a channel (0) of a collection; a role (1), with collection 0; or a mark (2) that an administrator has said what holds in the
    -- collection, with no name.
    kind         INTEGER NOT NULL,
    collection   INTEGER NOT NULL,
    name         TEXT NOT NULL,
    -- By whom: the document whose sync function gave it, 0 for an administrator, -1 for the verifier of a login.
    source       INTEGER NOT NULL,
    -- Since when.
    sequence     INTEGER NOT NULL,
    PRIMARY KEY (grantee_kind, grantee, kind, collection, name, source)
) STRICT, WITHOUT ROWID;

CREATE INDEX grants_by_document ON grants (source) WHERE source > 0;

-- What was given and taken away again: from `granted` on, until `lost`.
CREATE TABLE lost_grants (
    grantee_kind INTEGER NOT NULL,
    grantee      TEXT NOT NULL,
    kind         INTEGER NOT NULL,
    collection   INTEGER NOT NULL,
    name         TEXT NOT NULL,
    -- 1 for documents, whichever, 0 for an administrator, -1 for the verifier of a login.
    giver        INTEGER NOT NULL,
    granted      INTEGER NOT NULL,
    lost         INTEGER NOT NULL,
    PRIMARY KEY (grantee_kind, grantee, kind, collection, name, giver, granted)
) STRICT, WITHOUT ROWID;

-- Logins that last. Times are milliseconds since 1970.
CREATE TABLE sessions (
    -- The SHA-256 of the session's ID, so that a copy of the store lets nobody in.
    key        BLOB PRIMARY KEY,
    user       TEXT NOT NULL,
    -- The user's generation of sessions when it began: another one there ends it.
    generation INTEGER NOT NULL,
    created    INTEGER NOT NULL,
    expires    INTEGER NOT NULL,
    ttl        INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX sessions_by_user ON sessions (user);
CREATE INDEX sessions_by_expiry ON sessions (expires);

-- Counts changes to principals and grants, so that what was worked out from them can be kept until the next one.
INSERT INTO settings (name, value) VALUES ('store.access', 1);
