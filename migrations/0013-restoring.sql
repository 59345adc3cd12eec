-- What keeps its meaning when this server, or the other one, goes back to a backup.

-- A refused push that nobody wants to see on the list any more stays, so that the server is not taken for one that has it: it would be offered
-- to it again, and be refused again.
ALTER TABLE parked_revisions ADD COLUMN is_forgotten INTEGER NOT NULL DEFAULT 0;

-- By which the versions are known of what is written behind the lost stretch, so that they are not taken for versions that were lost. What was
-- written before it keeps its version: clients may have it by that.
ALTER TABLE fences ADD COLUMN source BLOB;

-- When the newest of what the backup has was written: the versions until then were not lost. In milliseconds since 1970.
ALTER TABLE fences ADD COLUMN ended INTEGER NOT NULL DEFAULT 0;
