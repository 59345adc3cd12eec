-- A document that is moved and put back leaves two collections, nearly always under one ID. With the ID first, both departures stand on one
-- page, and putting documents back writes no more pages than moving them.
ALTER TABLE departures RENAME TO former_departures;

CREATE TABLE departures (
    collection INTEGER NOT NULL,
    id         TEXT NOT NULL,
    document   INTEGER NOT NULL,
    sequence   INTEGER NOT NULL,
    PRIMARY KEY (id, collection)
) STRICT, WITHOUT ROWID;

INSERT INTO departures (collection, id, document, sequence)
SELECT collection, id, document, sequence FROM former_departures ORDER BY id, collection;

DROP TABLE former_departures;

CREATE INDEX departures_by_sequence ON departures (collection, sequence);
CREATE INDEX departures_by_document ON departures (document);
