-- A refused push that nobody wants to see on the list any more stays, so that the server is not taken for one that has it: it would be offered
-- to it again, and be refused again.
ALTER TABLE parked_revisions ADD COLUMN is_forgotten INTEGER NOT NULL DEFAULT 0;
