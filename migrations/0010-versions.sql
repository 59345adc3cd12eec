-- The version under which 4.x clients know a document, one row a document: each vector takes in those before it. Documents that no 4.x
-- client was told of have none. It takes the place of a table that was never written to.
DROP TABLE vectors;

CREATE TABLE versions (
    document INTEGER PRIMARY KEY,
    -- The revision that the vector is of. The winning one, unless that has changed since.
    revision TEXT NOT NULL,
    -- As on the wire: `cv;pv,pv` or `cv,mv,mv;pv`.
    vector   TEXT NOT NULL
) STRICT;
