import Storage

extension PostgreSQLTransaction {
    func setUpstream(_ record: UpstreamRecord) throws {
        try connection.run(
            """
            INSERT INTO upstream (key, source, era, is_opaque, ordinal, counted, pulled) VALUES (1, $1, $2, $3, $4, $5, $6)
            ON CONFLICT (key) DO UPDATE SET source = excluded.source, era = excluded.era, is_opaque = excluded.is_opaque,
                ordinal = excluded.ordinal, counted = excluded.counted, pulled = excluded.pulled
            """, record.source, record.era, record.isOpaque, record.ordinal, record.counted, record.pulled)
    }

    func recordUpstreamShown(_ sequence: SequenceNumber, ordinal: Int64) throws {
        // The earliest ordinal at which the state was shown counts.
        try connection.run(
            """
            INSERT INTO upstream_feed AS u (sequence, ordinal) VALUES ($1, $2)
            ON CONFLICT (sequence) DO UPDATE SET ordinal = excluded.ordinal WHERE excluded.ordinal < u.ordinal
            """, sequence, ordinal)
    }

    func advanceShownMark() throws {
        let start = try shownMark()
        let last = try firstUnshown(after: start, limit: StoreLimits.shownStride).last
        guard last != start else { return }
        try connection.run("UPDATE upstream SET settled = $1", last)
    }

    func recordUpstreamToken(_ digest: [UInt8], ordinal: Int64) throws {
        try connection.run(
            "INSERT INTO upstream_tokens (digest, ordinal) VALUES ($1, $2) ON CONFLICT (digest) DO UPDATE SET ordinal = excluded.ordinal",
            digest, ordinal)
    }

    func forgetTokens(upTo ordinal: Int64, limit: Int) throws {
        try connection.run(
            """
            DELETE FROM upstream_tokens WHERE digest IN
                (SELECT digest FROM upstream_tokens WHERE ordinal <= $1 ORDER BY ordinal LIMIT $2)
            """, ordinal, limit)
    }

    func forgetShown(behind ordinal: Int64) throws {
        if let first = try firstShown(behind: ordinal) {
            try connection.run("UPDATE upstream SET settled = least(settled, $1)", SequenceNumber(first.value - 1))
        }
        try connection.run("DELETE FROM upstream_feed WHERE ordinal > $1", ordinal)
        try connection.run("DELETE FROM upstream_tokens WHERE ordinal > $1", ordinal)
        lookups.details = KnownDetails()
        // Removals with such a number are sent to every client again, because upstream may assign the number to another change.
        try connection.run(
            "UPDATE channel_entries SET left_upstream = $2 WHERE left_upstream > $1 AND left_upstream < $2", ordinal, Int64.max)
        try connection.run("UPDATE upstream_losses SET number = NULL WHERE number > $1", ordinal)
    }

    /// Deletes the record of a document state that has changed.
    func forgetShown(at sequence: SequenceNumber) throws {
        try connection.run("DELETE FROM upstream_feed WHERE sequence = $1", sequence)
    }

    func setUpstreamDevice(
        _ channels: String, before position: SequenceNumber?, learned: SequenceNumber, of user: String, at place: String, time: Int64
    ) throws {
        try connection.run(
            """
            INSERT INTO upstream_sights AS s (user_name, place, channels, time, position, learned) VALUES ($1, $2, $3, $4, $5, $6)
            ON CONFLICT (user_name, place) DO UPDATE SET channels = excluded.channels, time = excluded.time, position = excluded.position,
                silent = NULL, learned = CASE WHEN s.learned IS NOT NULL THEN least(s.learned, excluded.learned) END
            """, user, place, channels, time, position, learned)
        let own = try connection.first("SELECT count(*) FROM upstream_sights WHERE user_name = $1", user) { Int($0.integer(0)) } ?? 0
        try connection.run(
            """
            DELETE FROM upstream_sights WHERE user_name = $1 AND place IN
                (SELECT place FROM upstream_sights WHERE user_name = $1 ORDER BY time LIMIT $2)
            """, user, max(0, own - StoreLimits.devicesOfUser))
        let all = try connection.first("SELECT count(*) FROM upstream_sights") { Int($0.integer(0)) } ?? 0
        try connection.run(
            """
            DELETE FROM upstream_sights WHERE (user_name, place) IN (SELECT user_name, place FROM upstream_sights ORDER BY time LIMIT $1)
            """, max(0, all - StoreLimits.devicesInTotal))
    }

    func setUpstreamUnsentPositions(_ positions: String, of user: String, at place: String) throws {
        try connection.run("UPDATE upstream_sights SET silent = $3 WHERE user_name = $1 AND place = $2", user, place, positions)
    }

    func setUpstreamLoss(of id: String, from channel: String, upstream number: Int64?) throws {
        try connection.run(
            """
            INSERT INTO upstream_losses AS l (id, channel, number)
            SELECT $1, $2, $3 WHERE (SELECT count(*) FROM upstream_losses) < $4
            ON CONFLICT (id, channel) DO UPDATE SET number = CASE WHEN l.number IS NOT NULL AND excluded.number IS NOT NULL
                THEN greatest(l.number, excluded.number) END
            """, id, channel, number, StoreLimits.channelLosses)
    }

    func removeUpstreamLosses(of id: String) throws -> [(channel: String, number: Int64?)] {
        let channels = try connection.all("SELECT channel, number FROM upstream_losses WHERE id = $1 ORDER BY channel", id) { row in
            (row.text(0), row.optionalInteger(1))
        }
        if !channels.isEmpty { try connection.run("DELETE FROM upstream_losses WHERE id = $1", id) }
        return channels
    }
}
