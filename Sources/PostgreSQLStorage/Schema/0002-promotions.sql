-- The server's timeline at the last look, which grows when a standby is promoted and when PostgreSQL's archive is restored; null before the first look.
ALTER TABLE store ADD COLUMN timeline bigint;
-- The values of `commit_number` and `counter` at which this timeline began, as far as the bridges know.
ALTER TABLE store ADD COLUMN promoted_commit bigint NOT NULL DEFAULT 0;
ALTER TABLE store ADD COLUMN promoted_counter bigint NOT NULL DEFAULT 0;
-- Whether the last commit has waited for a standby.
ALTER TABLE store ADD COLUMN is_synchronous boolean NOT NULL DEFAULT false;
