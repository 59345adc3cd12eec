-- When documents expire. Few do, so their times stand apart from their rows, and those that are due are found without reading others.
CREATE TABLE expiries (
    document INTEGER PRIMARY KEY,
    -- Milliseconds since 1970.
    time     INTEGER NOT NULL
) STRICT;

CREATE INDEX expiries_by_time ON expiries (time);
