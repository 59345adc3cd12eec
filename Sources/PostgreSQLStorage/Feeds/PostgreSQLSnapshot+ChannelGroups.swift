import Documents
import Storage

/// Reads of many channels by one statement.
extension PostgreSQLSnapshot {
    func channelKeys(_ names: Set<ExactString>) throws -> [ExactString: ChannelKey] {
        let keys = try connection.all(
            "SELECT name, key FROM channels WHERE name = ANY($1)", TextArray(Set(names.map { Array($0.string.utf8) }))
        ) { (ExactString($0.text(0)), ChannelKey($0.integer(1))) }
        return Dictionary(keys) { first, _ in first }
    }

    func channelFeed(
        _ channels: [ChannelKey], of collection: CollectionKey, in scope: FeedScope, _ stretch: FeedStretch,
        _ visit: (ChannelKey, ChannelRow) throws -> Void
    ) throws {
        let keys = KeyArray(channels)
        func pass(_ row: PostgreSQLRow) throws -> Bool {
            let found = ChannelRow(document: feedRow(row), since: SequenceNumber(row.integer(7)), leftWith: row.optionalText(8))
            try visit(ChannelKey(row.integer(9)), found)
            return true
        }
        switch scope {
        case .unified:
            try connection.each(
                """
                SELECT d.key, c.sequence, d.unified_id, d.revision, d.flags, d.collection, d.body_size, c.since, c.left_with, c.channel
                FROM channel_entries c JOIN documents d ON d.key = c.document
                WHERE c.collection = $1 AND c.channel = ANY($2) AND c.sequence > $3 AND c.sequence < $4
                LIMIT $5
                """, collection, keys, stretch.after, stretch.end, stretch.limit, row: pass)
        case .collection:
            try connection.each(
                """
                SELECT d.key, c.collection_sequence, coalesce(d.local_id, d.unified_id), d.revision, d.flags, d.collection, d.body_size,
                    c.since, c.left_with, c.channel
                FROM channel_entries c JOIN documents d ON d.key = c.document
                WHERE c.collection = $1 AND c.channel = ANY($2) AND c.collection_sequence > $3 AND c.collection_sequence < $4
                LIMIT $5
                """, collection, keys, stretch.after, stretch.end, stretch.limit, row: pass)
        }
    }

    func channelHeads(
        _ channels: [ChannelKey], of collection: CollectionKey, in scope: FeedScope, _ stretch: FeedStretch,
        _ visit: (ChannelKey, SequenceNumber) throws -> Void
    ) throws {
        let keys = KeyArray(channels)
        func pass(_ row: PostgreSQLRow) throws -> Bool {
            if let sequence = row.optionalInteger(1) { try visit(ChannelKey(row.integer(0)), SequenceNumber(sequence)) }
            return true
        }
        switch (scope, stretch.isDescending) {
        case (.unified, false):
            try connection.each(
                """
                SELECT channel, (
                    SELECT min(sequence) FROM channel_entries c
                    WHERE c.collection = $1 AND c.channel = wanted.channel AND sequence > $3 AND sequence < $4)
                FROM unnest($2) wanted(channel)
                """, collection, keys, stretch.after, stretch.end, row: pass)
        case (.unified, true):
            try connection.each(
                """
                SELECT channel, (
                    SELECT max(sequence) FROM channel_entries c
                    WHERE c.collection = $1 AND c.channel = wanted.channel AND sequence > $3 AND sequence < $4)
                FROM unnest($2) wanted(channel)
                """, collection, keys, stretch.after, stretch.end, row: pass)
        case (.collection, false):
            try connection.each(
                """
                SELECT channel, (
                    SELECT min(collection_sequence) FROM channel_entries c
                    WHERE c.collection = $1 AND c.channel = wanted.channel AND collection_sequence > $3 AND collection_sequence < $4)
                FROM unnest($2) wanted(channel)
                """, collection, keys, stretch.after, stretch.end, row: pass)
        case (.collection, true):
            try connection.each(
                """
                SELECT channel, (
                    SELECT max(collection_sequence) FROM channel_entries c
                    WHERE c.collection = $1 AND c.channel = wanted.channel AND collection_sequence > $3 AND collection_sequence < $4)
                FROM unnest($2) wanted(channel)
                """, collection, keys, stretch.after, stretch.end, row: pass)
        }
    }
}
