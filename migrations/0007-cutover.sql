-- The stages of a cutover. The stage itself is a setting; this is how it came to be.

-- Each step that was taken, refused by a gate or a hook, or undone, in order.
CREATE TABLE cutover_steps (
    number     INTEGER PRIMARY KEY,
    -- Milliseconds since 1970.
    time       INTEGER NOT NULL,
    from_stage TEXT NOT NULL,
    to_stage   TEXT NOT NULL,
    outcome    TEXT NOT NULL,
    -- Whether gates were overridden, and what was given as the reason.
    forced     INTEGER NOT NULL DEFAULT 0,
    reason     TEXT NOT NULL,
    -- JSON: what the gates measured.
    gates      TEXT NOT NULL
) STRICT;
