-- Which documents are in which channels: what the feeds of users are read from.

CREATE TABLE channels (
    key  INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
) STRICT;

-- A document's time in a channel. A row stays when the document leaves: those who could see it are told.
CREATE TABLE channel_entries (
    document            INTEGER NOT NULL,
    channel             INTEGER NOT NULL,
    -- Where the document lives.
    collection          INTEGER NOT NULL,
    -- The places of its last change while it was in the channel, or of its leaving. They are the document's own unless it
    -- came or went without being changed (a move, a new sync function). Null in a hidden collection.
    sequence            INTEGER,
    collection_sequence INTEGER NOT NULL,
    -- With which sequence it came into the channel.
    since               INTEGER NOT NULL,
    -- The revision with which it left; null while it is in the channel.
    left_with           TEXT,
    PRIMARY KEY (document, channel)
) STRICT, WITHOUT ROWID;

CREATE INDEX channel_entries_by_sequence ON channel_entries (collection, channel, sequence);
CREATE INDEX channel_entries_by_collection_sequence ON channel_entries (collection, channel, collection_sequence);

-- The channels of a revision that is not the winner, separated by commas: who may read the winner may not read every ancestor.
ALTER TABLE bodies ADD COLUMN channels TEXT;
