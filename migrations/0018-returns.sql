-- Documents that are back where they had been moved away from. Whoever follows a feed there may have one whose user lost sight of it meanwhile.
-- Collection 0 stands for the unified keyspace.
CREATE TABLE returns (
    document   INTEGER NOT NULL,
    collection INTEGER NOT NULL,
    -- With which change it came back last.
    sequence   INTEGER NOT NULL,
    PRIMARY KEY (document, collection)
) STRICT, WITHOUT ROWID;

CREATE INDEX returns_by_sequence ON returns (collection, sequence);

-- What somebody is given for one named collection, so that a move finds out at no cost whether there is any.
CREATE INDEX grants_by_collection ON grants (collection) WHERE collection > 1;
