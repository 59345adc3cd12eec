import Documents
import Storage

extension PostgreSQLSnapshot {
    func channels(of document: DocumentKey) throws -> [ChannelEntry] {
        try channelEntries(of: document).map(\.entry)
    }

    /// The channel entries of a document with the channels' keys.
    final func channelEntries(of document: DocumentKey) throws -> [StoredChannelEntry] {
        if let known = lookups.details.channels(of: document) { return known }
        return try connection.all(
            """
            SELECT document, name, sequence, collection_sequence, since, left_with, channel, left_upstream
            FROM channel_entries JOIN channels ON channels.key = channel WHERE document = $1 ORDER BY channel
            """, document, row: StoredChannelEntry.init)
    }

    func channels(of revision: RevisionID, in document: DocumentRecord) throws -> Set<String> {
        guard let key = document.key else { return [] }
        if revision == document.winner { return Set(try channels(of: key).filter(\.isCurrent).map(\.channel)) }
        let names = try connection.first("SELECT channels FROM bodies WHERE document = $1 AND revision = $2", key, revision) {
            $0.optionalText(0)
        }
        return Set((names ?? nil)?.split(separator: ",").map(String.init) ?? [])
    }

    func channelFeed(
        _ channel: String, of collection: CollectionKey, in scope: FeedScope, _ stretch: FeedStretch, _ visit: (ChannelRow) throws -> Bool
    ) throws {
        // With the document, because documents may have entered the channel at the same sequence.
        var (start, end, document) = (stretch.after, stretch.end, DocumentKey(stretch.isDescending ? .min : .max))
        func pass(_ row: PostgreSQLRow) throws -> Bool {
            let found = ChannelRow(
                document: feedRow(row), since: SequenceNumber(row.integer(7)), leftWith: row.optionalText(8))
            document = found.document.key
            if stretch.isDescending { end = found.document.sequence } else { start = found.document.sequence }
            return try visit(found)
        }
        try PostgreSQLConnection.pages(limit: stretch.limit) { count in
            switch (scope, stretch.isDescending) {
            case (.unified, false):
                try connection.each(
                    """
                    SELECT d.key, c.sequence, d.unified_id, d.revision, d.flags, d.collection, d.body_size, c.since, c.left_with
                    FROM channel_entries c JOIN documents d ON d.key = c.document
                    WHERE c.collection = $1 AND c.channel = (SELECT key FROM channels WHERE name = $2)
                        AND (c.sequence, c.document) > ($3, $5) AND c.sequence < $4
                    ORDER BY c.sequence, c.document LIMIT $6
                    """, collection, channel, start, end, document, count, row: pass)
            case (.unified, true):
                try connection.each(
                    """
                    SELECT d.key, c.sequence, d.unified_id, d.revision, d.flags, d.collection, d.body_size, c.since, c.left_with
                    FROM channel_entries c JOIN documents d ON d.key = c.document
                    WHERE c.collection = $1 AND c.channel = (SELECT key FROM channels WHERE name = $2)
                        AND c.sequence > $3 AND (c.sequence, c.document) < ($4, $5)
                    ORDER BY c.sequence DESC, c.document DESC LIMIT $6
                    """, collection, channel, start, end, document, count, row: pass)
            case (.collection, false):
                try connection.each(
                    """
                    SELECT d.key, c.collection_sequence, coalesce(d.local_id, d.unified_id), d.revision, d.flags, d.collection, d.body_size,
                        c.since, c.left_with
                    FROM channel_entries c JOIN documents d ON d.key = c.document
                    WHERE c.collection = $1 AND c.channel = (SELECT key FROM channels WHERE name = $2)
                        AND (c.collection_sequence, c.document) > ($3, $5) AND c.collection_sequence < $4
                    ORDER BY c.collection_sequence, c.document LIMIT $6
                    """, collection, channel, start, end, document, count, row: pass)
            case (.collection, true):
                try connection.each(
                    """
                    SELECT d.key, c.collection_sequence, coalesce(d.local_id, d.unified_id), d.revision, d.flags, d.collection, d.body_size,
                        c.since, c.left_with
                    FROM channel_entries c JOIN documents d ON d.key = c.document
                    WHERE c.collection = $1 AND c.channel = (SELECT key FROM channels WHERE name = $2)
                        AND c.collection_sequence > $3 AND (c.collection_sequence, c.document) < ($4, $5)
                    ORDER BY c.collection_sequence DESC, c.document DESC LIMIT $6
                    """, collection, channel, start, end, document, count, row: pass)
            }
        }
    }
}
