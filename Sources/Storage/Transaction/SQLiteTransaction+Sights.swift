extension SQLiteTransaction {
    /// Rows of one user, and altogether. One is of use until its device has a place in our own feed.
    private static var sightsOfUser: Int { 1_000 }
    private static var sightsKept: Int { 100_000 }

    /// Documents that are to come, and their channels.
    private static var lossesKept: Int { 100_000 }

    func noteReader() throws {
        try connection.run("INSERT OR REPLACE INTO settings (name, value) VALUES (?1, '1')", Self.readersSetting)
    }

    func setUpstreamSight(
        _ channels: String, before position: Sequence?, learned: Sequence, of user: String, at place: String, time: Int64
    ) throws {
        try connection.run(
            """
            INSERT INTO upstream_sights (user, place, channels, time, position, learned) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            ON CONFLICT (user, place) DO UPDATE SET channels = excluded.channels, time = excluded.time, position = excluded.position,
                silent = NULL, learned = min(learned, excluded.learned)
            """, user, place, channels, time, position, learned)
        let own = try connection.first("SELECT count(*) FROM upstream_sights WHERE user = ?1", user) { Int($0.integer(0)) } ?? 0
        try connection.run(
            """
            DELETE FROM upstream_sights WHERE user = ?1 AND place IN
                (SELECT place FROM upstream_sights WHERE user = ?1 ORDER BY time LIMIT ?2)
            """, user, max(0, own - Self.sightsOfUser))
        let all = try connection.first("SELECT count(*) FROM upstream_sights") { Int($0.integer(0)) } ?? 0
        try connection.run(
            """
            DELETE FROM upstream_sights WHERE (user, place) IN (SELECT user, place FROM upstream_sights ORDER BY time LIMIT ?1)
            """, max(0, all - Self.sightsKept))
    }

    func setUpstreamSilence(_ positions: String, of user: String, at place: String) throws {
        try connection.run("UPDATE upstream_sights SET silent = ?3 WHERE user = ?1 AND place = ?2", user, place, positions)
    }

    func setUpstreamLoss(of id: String, from channel: String, upstream number: Int64?) throws {
        try connection.run(
            """
            INSERT INTO upstream_losses (id, channel, number)
            SELECT ?1, ?2, ?3 WHERE (SELECT count(*) FROM upstream_losses) < ?4
            ON CONFLICT (id, channel) DO UPDATE SET number = max(number, excluded.number)
            """, id, channel, number, Self.lossesKept)
    }

    func takeUpstreamLosses(of id: String) throws -> [(channel: String, number: Int64?)] {
        let channels = try connection.all("SELECT channel, number FROM upstream_losses WHERE id = ?1 ORDER BY channel", id) { row in
            (row.text(0), row.optionalInteger(1))
        }
        if !channels.isEmpty { try connection.run("DELETE FROM upstream_losses WHERE id = ?1", id) }
        return channels
    }

    func raiseGrants(of channel: String, to grantee: Grantee, at sequence: Sequence) throws {
        let permission = Permission.channel(channel, .default)
        try connection.run(
            """
            UPDATE grants SET sequence = ?5
            WHERE grantee_kind = ?1 AND grantee = ?2 AND kind = ?3 AND name = ?4 AND sequence < ?5
            """, grantee.kind, grantee.name, permission.kind, channel, sequence)
        if connection.changes > 0 { changes.access.insert(grantee) }
    }
}
