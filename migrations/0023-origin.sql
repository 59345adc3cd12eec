-- Where the counter began. A store that has one already was made when all began at 10^12; a new one is told when it is opened.
INSERT INTO settings (name, value) SELECT 'store.origin', 1000000000000 FROM settings WHERE name = 'store.counter';
