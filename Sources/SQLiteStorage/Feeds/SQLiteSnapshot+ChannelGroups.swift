import Documents
import Storage

/// Reads of many channels by one statement.
extension SQLiteSnapshot {
    final func channelKey(_ name: String) throws -> Int64? {
        try connection.first("SELECT key FROM channels WHERE name = ?1", name) { $0.integer(0) }
    }

    func channelKeys(_ names: Set<ExactString>) throws -> [ExactString: ChannelKey] {
        let keys = try connection.all(
            "SELECT c.name, c.key FROM json_each(?1) wanted CROSS JOIN channels c ON c.name = wanted.value",
            JSONArray(names) { JSONWriter.append($0.string, to: &$1) }
        ) { (ExactString($0.text(0)), ChannelKey($0.integer(1))) }
        return Dictionary(keys) { first, _ in first }
    }

    func channelFeed(
        _ channels: [ChannelKey], of collection: CollectionKey, in scope: FeedScope, _ stretch: FeedStretch,
        _ visit: (ChannelKey, ChannelRow) throws -> Void
    ) throws {
        let keys = keyArray(channels)
        func pass(_ row: Row) throws -> Bool {
            try visit(ChannelKey(row.integer(9)), channelRow(row))
            return true
        }
        switch scope {
        case .unified:
            try connection.each(
                """
                SELECT d.key, c.sequence, d.unified_id, d.revision, d.flags, d.collection, d.body_size, c.since, c.left_with, c.channel
                FROM json_each(?2) wanted
                    CROSS JOIN channel_entries c
                        ON c.collection = ?1 AND c.channel = wanted.value AND c.sequence > ?3 AND c.sequence < ?4
                    CROSS JOIN documents d ON d.key = c.document
                LIMIT ?5
                """, collection, keys, stretch.after, stretch.end, stretch.limit, row: pass)
        case .collection:
            try connection.each(
                """
                SELECT d.key, c.collection_sequence, coalesce(d.local_id, d.unified_id), d.revision, d.flags, d.collection, d.body_size,
                    c.since, c.left_with, c.channel
                FROM json_each(?2) wanted
                    CROSS JOIN channel_entries c
                        ON c.collection = ?1 AND c.channel = wanted.value AND c.collection_sequence > ?3 AND c.collection_sequence < ?4
                    CROSS JOIN documents d ON d.key = c.document
                LIMIT ?5
                """, collection, keys, stretch.after, stretch.end, stretch.limit, row: pass)
        }
    }

    func channelHeads(
        _ channels: [ChannelKey], of collection: CollectionKey, in scope: FeedScope, _ stretch: FeedStretch,
        _ visit: (ChannelKey, SequenceNumber) throws -> Void
    ) throws {
        let keys = keyArray(channels)
        func pass(_ row: Row) throws -> Bool {
            if let sequence = row.optionalInteger(1) { try visit(ChannelKey(row.integer(0)), SequenceNumber(sequence)) }
            return true
        }
        switch (scope, stretch.isDescending) {
        case (.unified, false):
            try connection.each(
                """
                SELECT wanted.value, (
                    SELECT min(sequence) FROM channel_entries
                    WHERE collection = ?1 AND channel = wanted.value AND sequence > ?3 AND sequence < ?4)
                FROM json_each(?2) wanted
                """, collection, keys, stretch.after, stretch.end, row: pass)
        case (.unified, true):
            try connection.each(
                """
                SELECT wanted.value, (
                    SELECT max(sequence) FROM channel_entries
                    WHERE collection = ?1 AND channel = wanted.value AND sequence > ?3 AND sequence < ?4)
                FROM json_each(?2) wanted
                """, collection, keys, stretch.after, stretch.end, row: pass)
        case (.collection, false):
            try connection.each(
                """
                SELECT wanted.value, (
                    SELECT min(collection_sequence) FROM channel_entries
                    WHERE collection = ?1 AND channel = wanted.value AND collection_sequence > ?3 AND collection_sequence < ?4)
                FROM json_each(?2) wanted
                """, collection, keys, stretch.after, stretch.end, row: pass)
        case (.collection, true):
            try connection.each(
                """
                SELECT wanted.value, (
                    SELECT max(collection_sequence) FROM channel_entries
                    WHERE collection = ?1 AND channel = wanted.value AND collection_sequence > ?3 AND collection_sequence < ?4)
                FROM json_each(?2) wanted
                """, collection, keys, stretch.after, stretch.end, row: pass)
        }
    }

    private func keyArray(_ channels: [ChannelKey]) -> JSONArray {
        JSONArray(channels) { JSONWriter.append(Int($0.value), to: &$1) }
    }
}

/// Several values as one: `json_each` passes them to a statement.
private struct JSONArray: SQLValue {
    private let text: String

    init<Elements: Collection>(_ elements: Elements, _ append: (Elements.Element, inout [UInt8]) -> Void) {
        var bytes: [UInt8] = [UInt8(ascii: "[")]
        for (index, element) in elements.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            append(element, &bytes)
        }
        bytes.append(UInt8(ascii: "]"))
        text = String(decoding: bytes, as: UTF8.self)
    }

    func bind(to statement: OpaquePointer, at index: Int32) { text.bind(to: statement, at: index) }
}
