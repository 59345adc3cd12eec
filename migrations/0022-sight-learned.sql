-- Our counter when it was learned: of what was granted by then a device at the place has all that it had seen there. Null where that is not known.
ALTER TABLE upstream_sights ADD COLUMN learned INTEGER;
