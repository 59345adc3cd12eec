-- What a device had seen on the old server when it came over, and whether any client has read a feed here.

-- For a user and a place in the old server's feed: the channels of which a device at that place has every document up to there.
CREATE TABLE upstream_sights (
    -- A user's name, `GUEST` for the guest.
    user     TEXT NOT NULL,
    place    TEXT NOT NULL,
    -- JSON: an array of names, `*` for every channel.
    channels TEXT NOT NULL,
    -- When it was learned, in milliseconds since 1970.
    time     INTEGER NOT NULL,
    PRIMARY KEY (user, place)
) STRICT, WITHOUT ROWID;

CREATE INDEX upstream_sights_by_time ON upstream_sights (time);

-- A store that is older than this mark may have had readers.
INSERT INTO settings (name, value) SELECT 'store.readers', '1' WHERE EXISTS (SELECT 1 FROM documents);
