-- Clients of 1.x that use the bridge, whether they write checkpoints or not.

-- Who sent requests, or kept a feed open, from where, and when last. The number of rows is bounded; the oldest go first.
CREATE TABLE visits (
    -- A user's name, empty for the guest.
    user       TEXT NOT NULL,
    generation INTEGER NOT NULL,
    -- The `User-Agent`.
    agent      TEXT NOT NULL,
    -- An IPv4 address, or the first half of an IPv6 address.
    address    TEXT NOT NULL,
    -- Milliseconds since 1970.
    first_seen INTEGER NOT NULL,
    last_seen  INTEGER NOT NULL,
    PRIMARY KEY (user, generation, agent, address)
) STRICT, WITHOUT ROWID;

CREATE INDEX visits_by_time ON visits (last_seen);
