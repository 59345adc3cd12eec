-- By which function the documents of a collection are judged: the JavaScript that was said last, empty for the default function, null where none
-- was ever said for this collection.
ALTER TABLE collections ADD COLUMN sync_function TEXT;

-- Counts changes to collections, so that what was read of them can be kept until the next one.
INSERT INTO settings (name, value) VALUES ('store.collections', 1);

-- The places that documents had when they were purged. A document that comes back under the same legacy ID is found by them.
CREATE TABLE purged_places (
    unified_id TEXT NOT NULL,
    collection INTEGER NOT NULL,
    id         TEXT NOT NULL,
    PRIMARY KEY (unified_id, collection, id)
) STRICT, WITHOUT ROWID;

-- A store of an earlier schema that has documents may have been served.
INSERT INTO settings (name, value) SELECT 'served.before', '1' WHERE EXISTS (SELECT 1 FROM documents);
