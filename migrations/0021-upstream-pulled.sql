-- Up to which number of the old server's feed everything that it shows is here; 0 where its places are no numbers, or it is not known.
ALTER TABLE upstream ADD COLUMN pulled INTEGER NOT NULL DEFAULT 0;

-- JSON: an array of places in our feed at which a device that comes over is not told that a document has left. Null where there are none.
ALTER TABLE upstream_sights ADD COLUMN silent TEXT;
