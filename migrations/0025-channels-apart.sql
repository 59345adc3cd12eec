-- The last sequence at which a document came into a channel, or left it, without a change of its own. What was before this schema is not known.
INSERT INTO settings (name, value) VALUES ('store.channels.apart', coalesce((SELECT value FROM settings WHERE name = 'store.counter'), 0));
