-- With which count of changes to access (store.access) the access of a user or role changed last, and that of everybody.
CREATE TABLE access_changes (
    kind    INTEGER NOT NULL,
    name    TEXT NOT NULL,
    version INTEGER NOT NULL,
    PRIMARY KEY (kind, name)
) WITHOUT ROWID;
INSERT INTO settings (name, value) VALUES ('store.access.everyone', 0);
