-- What 4.x clients may still have of a document, for deltas that build on it: the last few versions under which it was known before, each
-- with the revision that it is of, the newest first: `version revision,version revision`.
ALTER TABLE versions ADD COLUMN earlier TEXT NOT NULL DEFAULT '';
