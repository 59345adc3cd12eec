-- With which number of the old server's feed a document left a channel there: a device that was past it has been told. Null where it left here, the highest number there is where it cannot be told any more.
ALTER TABLE channel_entries ADD COLUMN left_upstream INTEGER;
CREATE INDEX channel_entries_left_upstream ON channel_entries (left_upstream) WHERE left_upstream IS NOT NULL;

-- The same for documents that are not here yet.
ALTER TABLE upstream_losses ADD COLUMN number INTEGER;
