-- Channels that documents have left on the old server, for documents that are not here yet.
CREATE TABLE upstream_losses (
    id      TEXT NOT NULL,
    channel TEXT NOT NULL,
    PRIMARY KEY (id, channel)
) STRICT, WITHOUT ROWID;

-- The place in our feed before which such a device goes on in any case; null where there is none.
ALTER TABLE upstream_sights ADD COLUMN position INTEGER;
