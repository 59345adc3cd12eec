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
        _ channels: [StoredChannel], in scope: FeedScope, _ stretch: FeedStretch, _ visit: (StoredChannel, ChannelRow) throws -> Void
    ) throws {
        let (collections, keys) = (KeyArray(channels.map(\.collection.value)), KeyArray(channels.map(\.key.value)))
        func pass(_ row: PostgreSQLRow) throws -> Bool {
            let found = ChannelRow(document: feedRow(row), since: SequenceNumber(row.integer(7)), leftWith: row.optionalText(8))
            try visit(StoredChannel(ChannelKey(row.integer(9)), in: CollectionKey(row.integer(10))), found)
            return true
        }
        switch (scope, stretch.isDescending) {
        case (.unified, false):
            try connection.each(
                """
                SELECT d.key, found.position, d.unified_id, d.revision, d.flags, d.collection, d.body_size, found.since, found.left_with,
                    found.channel, found.collection
                FROM (
                    SELECT c.document, c.channel, c.collection, c.sequence AS position, c.since, c.left_with
                    FROM unnest($1::bigint[], $2::bigint[]) wanted(collection, channel) JOIN channel_entries c
                        ON c.collection = wanted.collection AND c.channel = wanted.channel AND c.sequence > $3 AND c.sequence < $4
                    ORDER BY c.sequence LIMIT $5
                ) found JOIN documents d ON d.key = found.document
                """, collections, keys, stretch.after, stretch.end, stretch.limit, row: pass)
        case (.unified, true):
            try connection.each(
                """
                SELECT d.key, found.position, d.unified_id, d.revision, d.flags, d.collection, d.body_size, found.since, found.left_with,
                    found.channel, found.collection
                FROM (
                    SELECT c.document, c.channel, c.collection, c.sequence AS position, c.since, c.left_with
                    FROM unnest($1::bigint[], $2::bigint[]) wanted(collection, channel) JOIN channel_entries c
                        ON c.collection = wanted.collection AND c.channel = wanted.channel AND c.sequence > $3 AND c.sequence < $4
                    ORDER BY c.sequence DESC LIMIT $5
                ) found JOIN documents d ON d.key = found.document
                """, collections, keys, stretch.after, stretch.end, stretch.limit, row: pass)
        case (.collection, false):
            try connection.each(
                """
                SELECT d.key, found.position, coalesce(d.local_id, d.unified_id), d.revision, d.flags, d.collection, d.body_size, found.since, found.left_with,
                    found.channel, found.collection
                FROM (
                    SELECT c.document, c.channel, c.collection, c.collection_sequence AS position, c.since, c.left_with
                    FROM unnest($1::bigint[], $2::bigint[]) wanted(collection, channel) JOIN channel_entries c
                        ON c.collection = wanted.collection AND c.channel = wanted.channel AND c.collection_sequence > $3 AND c.collection_sequence < $4
                    ORDER BY c.collection_sequence LIMIT $5
                ) found JOIN documents d ON d.key = found.document
                """, collections, keys, stretch.after, stretch.end, stretch.limit, row: pass)
        case (.collection, true):
            try connection.each(
                """
                SELECT d.key, found.position, coalesce(d.local_id, d.unified_id), d.revision, d.flags, d.collection, d.body_size, found.since, found.left_with,
                    found.channel, found.collection
                FROM (
                    SELECT c.document, c.channel, c.collection, c.collection_sequence AS position, c.since, c.left_with
                    FROM unnest($1::bigint[], $2::bigint[]) wanted(collection, channel) JOIN channel_entries c
                        ON c.collection = wanted.collection AND c.channel = wanted.channel AND c.collection_sequence > $3 AND c.collection_sequence < $4
                    ORDER BY c.collection_sequence DESC LIMIT $5
                ) found JOIN documents d ON d.key = found.document
                """, collections, keys, stretch.after, stretch.end, stretch.limit, row: pass)
        }
    }

    func channelHeads(
        _ channels: [StoredChannel], in scope: FeedScope, _ stretch: FeedStretch, _ visit: (StoredChannel, SequenceNumber) throws -> Void
    ) throws {
        let (collections, keys) = (KeyArray(channels.map(\.collection.value)), KeyArray(channels.map(\.key.value)))
        func pass(_ row: PostgreSQLRow) throws -> Bool {
            guard let sequence = row.optionalInteger(2) else { return true }
            try visit(StoredChannel(ChannelKey(row.integer(0)), in: CollectionKey(row.integer(1))), SequenceNumber(sequence))
            return true
        }
        switch (scope, stretch.isDescending) {
        case (.unified, false):
            try connection.each(
                """
                SELECT wanted.channel, wanted.collection, (
                    SELECT min(sequence) FROM channel_entries c
                    WHERE c.collection = wanted.collection AND c.channel = wanted.channel AND sequence > $3 AND sequence < $4)
                FROM unnest($1::bigint[], $2::bigint[]) wanted(collection, channel)
                """, collections, keys, stretch.after, stretch.end, row: pass)
        case (.unified, true):
            try connection.each(
                """
                SELECT wanted.channel, wanted.collection, (
                    SELECT max(sequence) FROM channel_entries c
                    WHERE c.collection = wanted.collection AND c.channel = wanted.channel AND sequence > $3 AND sequence < $4)
                FROM unnest($1::bigint[], $2::bigint[]) wanted(collection, channel)
                """, collections, keys, stretch.after, stretch.end, row: pass)
        case (.collection, false):
            try connection.each(
                """
                SELECT wanted.channel, wanted.collection, (
                    SELECT min(collection_sequence) FROM channel_entries c
                    WHERE c.collection = wanted.collection AND c.channel = wanted.channel AND collection_sequence > $3 AND collection_sequence < $4)
                FROM unnest($1::bigint[], $2::bigint[]) wanted(collection, channel)
                """, collections, keys, stretch.after, stretch.end, row: pass)
        case (.collection, true):
            try connection.each(
                """
                SELECT wanted.channel, wanted.collection, (
                    SELECT max(collection_sequence) FROM channel_entries c
                    WHERE c.collection = wanted.collection AND c.channel = wanted.channel AND collection_sequence > $3 AND collection_sequence < $4)
                FROM unnest($1::bigint[], $2::bigint[]) wanted(collection, channel)
                """, collections, keys, stretch.after, stretch.end, row: pass)
        }
    }
}
