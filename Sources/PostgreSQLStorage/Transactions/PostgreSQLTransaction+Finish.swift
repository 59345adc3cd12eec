import Storage

extension PostgreSQLTransaction {
    /// The commit's number for followers: the next one if feeds or access have changed.
    var commitNumber: Int64 {
        let commit = changes.commit
        let concernsFollowers = commit.touchesUnified || commit.touchesAccess || !commit.collections.isEmpty
        return state.commitNumber + (concernsFollowers ? 1 : 0)
    }

    /// Whether there is anything to commit.
    var hasChanges: Bool {
        connection.writeCount != firstWriteCount || changes.sequence != state.counter || commitNumber != state.commitNumber
            || changes.touchesCollections || pending.hasReaders != state.hasReaders
    }

    /// Sends the pending changes, the notification of other processes, and the mark by which a lost commit is found again.
    ///
    /// - Parameters:
    ///   - writer: The writer and the number of its group.
    ///   - channel: The channel of notifications.
    /// - Returns: The changes of the commit.
    func finish(_ writer: WriterMark, notifying channel: String) throws -> Commit {
        let commit = changes.commit
        try writeState()
        try writeAccessChanges()
        for scope in changes.scopes { try write(scope) }
        if commitNumber != state.commitNumber {
            let notice = CommitNotice(of: commit, number: commitNumber, by: writer.writer)
            try connection.run("SELECT pg_notify(convert_from($1, 'UTF8'), convert_from($2, 'UTF8'))", channel, notice.payload)
        }
        try connection.run(
            """
            INSERT INTO writers (writer, group_number, time) VALUES ($1, $2, $3)
            ON CONFLICT (writer) DO UPDATE SET group_number = excluded.group_number, time = excluded.time
            """, writer.writer, writer.group, now)
        return commit
    }

    private func writeState() throws {
        let (hasAccess, touchesEveryone) = (!changes.access.isEmpty, changes.access == .everyone)
        try connection.run(
            """
            UPDATE store SET counter = $1, commit_number = $2, collections = $3, access = $4, access_everyone = $5, channels_apart = $6,
                document_key = $7, channel_key = $8, has_readers = $9,
                is_synchronous = current_setting('synchronous_standby_names') <> ''
                    AND current_setting('synchronous_commit') IN ('on', 'remote_apply')
            WHERE key = 1
            """, changes.sequence, commitNumber, state.collections + (changes.touchesCollections ? 1 : 0),
            state.access + (hasAccess ? 1 : 0),
            touchesEveryone ? state.access + 1 : state.accessOfEveryone, max(state.channelsApart, changes.lastChannelOnlySequence),
            pending.documentKey, pending.channelKey, pending.hasReaders)
    }

    /// Stores the new access version for the grantees whose access changed.
    private func writeAccessChanges() throws {
        guard case .of(let grantees) = changes.access else { return }
        for grantee in grantees {
            try connection.run(
                """
                INSERT INTO access_changes (kind, name, version) VALUES ($1, $2, $3)
                ON CONFLICT (kind, name) DO UPDATE SET version = excluded.version
                """, grantee.kind, grantee.name, state.access + 1)
        }
    }

    private func write(_ scope: TransactionChanges.Scope) throws {
        let counts = scope.counts
        guard counts != DocumentCounts() else { return }
        try connection.run(
            """
            INSERT INTO document_counts AS c (scope, live, tombstones, conflicted, misplaced, qualified) VALUES ($1, $2, $3, $4, $5, $6)
            ON CONFLICT (scope) DO UPDATE SET live = c.live + excluded.live, tombstones = c.tombstones + excluded.tombstones,
                conflicted = c.conflicted + excluded.conflicted, misplaced = c.misplaced + excluded.misplaced,
                qualified = c.qualified + excluded.qualified
            """, scope.number, counts.live, counts.tombstones, counts.conflicted, counts.misplaced, counts.qualified)
    }
}

/// Identifies a group of writes in the table `writers`.
struct WriterMark: Sendable {
    /// The UUID of the opened store.
    let writer: [UInt8]

    /// The number of the group. Each run of a group has another one.
    var group: Int64 = 0
}
