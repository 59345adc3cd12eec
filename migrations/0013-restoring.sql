-- What keeps its meaning when this server, or the other one, goes back to a backup.

-- A refused push that nobody wants to see on the list any more stays, so that the server is not taken for one that has it: it would be offered
-- to it again, and be refused again.
ALTER TABLE parked_revisions ADD COLUMN is_forgotten INTEGER NOT NULL DEFAULT 0;

-- When the backup was restored, in milliseconds since 1970: the versions of what is written from then on are newer than all that were lost.
ALTER TABLE fences ADD COLUMN raised INTEGER NOT NULL DEFAULT 0;
