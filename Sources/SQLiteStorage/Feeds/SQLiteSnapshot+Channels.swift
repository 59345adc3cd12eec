import Documents
import Storage

extension SQLiteSnapshot {
    func channels(of document: DocumentKey) throws -> [ChannelEntry] {
        try channelEntries(of: document).map(\.entry)
    }

    /// The channel entries of a document with the channels' keys.
    final func channelEntries(of document: DocumentKey) throws -> [(channel: Int64, entry: ChannelEntry)] {
        try connection.all(
            """
            SELECT name, sequence, collection_sequence, since, left_with, channel, left_upstream
            FROM channel_entries JOIN channels ON channels.key = channel WHERE document = ?1
            """, document
        ) { row in
            let entry = ChannelEntry(
                channel: row.text(0), sequence: row.optionalInteger(1).map { SequenceNumber($0) },
                collectionSequence: SequenceNumber(row.integer(2)),
                since: SequenceNumber(row.integer(3)), leftWith: row.optionalText(4), leftUpstream: row.optionalInteger(6))
            return (row.integer(5), entry)
        }
    }

    func channels(of revision: RevisionID, in document: DocumentRecord) throws -> Set<String> {
        guard let key = document.key else { return [] }
        if revision == document.winner { return Set(try channels(of: key).filter(\.isCurrent).map(\.channel)) }
        let names = try connection.first("SELECT channels FROM bodies WHERE document = ?1 AND revision = ?2", key, revision) {
            $0.optionalText(0)
        }
        return Set((names ?? nil)?.split(separator: ",").map(String.init) ?? [])
    }

    func channelFeed(
        _ channel: String, of collection: CollectionKey, in scope: FeedScope, _ stretch: FeedStretch, _ visit: (ChannelRow) throws -> Bool
    ) throws {
        guard let channel = try channelKey(channel) else { return }
        switch (scope, stretch.isDescending) {
        case (.unified, false):
            try connection.each(
                """
                SELECT d.key, c.sequence, d.unified_id, d.revision, d.flags, d.collection, d.body_size, c.since, c.left_with
                FROM channel_entries c CROSS JOIN documents d ON d.key = c.document
                WHERE c.collection = ?1 AND c.channel = ?2 AND c.sequence > ?3 AND c.sequence < ?4 ORDER BY c.sequence LIMIT ?5
                """, collection, channel, stretch.after, stretch.end, stretch.limit
            ) { try visit(channelRow($0)) }
        case (.unified, true):
            try connection.each(
                """
                SELECT d.key, c.sequence, d.unified_id, d.revision, d.flags, d.collection, d.body_size, c.since, c.left_with
                FROM channel_entries c CROSS JOIN documents d ON d.key = c.document
                WHERE c.collection = ?1 AND c.channel = ?2 AND c.sequence > ?3 AND c.sequence < ?4 ORDER BY c.sequence DESC LIMIT ?5
                """, collection, channel, stretch.after, stretch.end, stretch.limit
            ) { try visit(channelRow($0)) }
        case (.collection, false):
            try connection.each(
                """
                SELECT d.key, c.collection_sequence, coalesce(d.local_id, d.unified_id), d.revision, d.flags, d.collection, d.body_size,
                    c.since, c.left_with
                FROM channel_entries c CROSS JOIN documents d ON d.key = c.document
                WHERE c.collection = ?1 AND c.channel = ?2 AND c.collection_sequence > ?3 AND c.collection_sequence < ?4
                ORDER BY c.collection_sequence LIMIT ?5
                """, collection, channel, stretch.after, stretch.end, stretch.limit
            ) { try visit(channelRow($0)) }
        case (.collection, true):
            try connection.each(
                """
                SELECT d.key, c.collection_sequence, coalesce(d.local_id, d.unified_id), d.revision, d.flags, d.collection, d.body_size,
                    c.since, c.left_with
                FROM channel_entries c CROSS JOIN documents d ON d.key = c.document
                WHERE c.collection = ?1 AND c.channel = ?2 AND c.collection_sequence > ?3 AND c.collection_sequence < ?4
                ORDER BY c.collection_sequence DESC LIMIT ?5
                """, collection, channel, stretch.after, stretch.end, stretch.limit
            ) { try visit(channelRow($0)) }
        }
    }

    /// The row of a feed's columns followed by `since, left_with`.
    final func channelRow(_ row: Row) -> ChannelRow {
        ChannelRow(document: feedRow(row), since: SequenceNumber(row.integer(7)), leftWith: row.optionalText(8))
    }
}
