import Documents
import Storage

/// Reads of many channels by one statement.
extension SQLiteSnapshot {
    final func channelKey(_ name: String) throws -> Int64? {
        try connection.first("SELECT key FROM channels WHERE name = ?1", name) { $0.integer(0) }
    }

    func channelKeys(_ names: Set<ExactString>) throws -> [ExactString: ChannelKey] {
        var text: [UInt8] = []
        text.append(array: names) { JSONWriter.append($0.string, to: &$1) }
        let keys = try connection.all(
            "SELECT c.name, c.key FROM json_each(?1) wanted CROSS JOIN channels c ON c.name = wanted.value",
            String(decoding: text, as: UTF8.self)
        ) { (ExactString($0.text(0)), ChannelKey($0.integer(1))) }
        return Dictionary(keys) { first, _ in first }
    }

    // The positions come from the index alone, in any order. So rows are looked up only up to the limit, and in the order in which they are stored.

    func channelFeed(
        _ channels: [StoredChannel], in scope: FeedScope, _ stretch: FeedStretch, _ visit: (StoredChannel, ChannelRow) throws -> Void
    ) throws {
        let places = Self.places(channels)
        func pass(_ row: Row) throws -> Bool {
            try visit(StoredChannel(ChannelKey(row.integer(9)), in: CollectionKey(row.integer(10))), channelRow(row))
            return true
        }
        switch (scope, stretch.isDescending) {
        case (.unified, false):
            try connection.each(
                """
                SELECT d.key, found.position, d.unified_id, d.revision, d.flags, d.collection, d.body_size, e.since, e.left_with, found.channel,
                    found.collection
                FROM (
                    SELECT c.document, c.channel, c.collection, c.sequence AS position
                    FROM json_each(?1) places CROSS JOIN json_each(places.value) wanted
                        CROSS JOIN channel_entries c ON c.collection = CAST(places.key AS INTEGER) AND c.channel = wanted.value
                            AND c.sequence > ?2 AND c.sequence < ?3
                    ORDER BY c.sequence LIMIT ?4
                ) found
                    CROSS JOIN channel_entries e ON e.document = found.document AND e.channel = found.channel
                    CROSS JOIN documents d ON d.key = found.document
                """, places, stretch.after, stretch.end, stretch.limit, row: pass)
        case (.unified, true):
            try connection.each(
                """
                SELECT d.key, found.position, d.unified_id, d.revision, d.flags, d.collection, d.body_size, e.since, e.left_with, found.channel,
                    found.collection
                FROM (
                    SELECT c.document, c.channel, c.collection, c.sequence AS position
                    FROM json_each(?1) places CROSS JOIN json_each(places.value) wanted
                        CROSS JOIN channel_entries c ON c.collection = CAST(places.key AS INTEGER) AND c.channel = wanted.value
                            AND c.sequence > ?2 AND c.sequence < ?3
                    ORDER BY c.sequence DESC LIMIT ?4
                ) found
                    CROSS JOIN channel_entries e ON e.document = found.document AND e.channel = found.channel
                    CROSS JOIN documents d ON d.key = found.document
                """, places, stretch.after, stretch.end, stretch.limit, row: pass)
        case (.collection, false):
            try connection.each(
                """
                SELECT d.key, found.position, coalesce(d.local_id, d.unified_id), d.revision, d.flags, d.collection, d.body_size, e.since, e.left_with, found.channel,
                    found.collection
                FROM (
                    SELECT c.document, c.channel, c.collection, c.collection_sequence AS position
                    FROM json_each(?1) places CROSS JOIN json_each(places.value) wanted
                        CROSS JOIN channel_entries c ON c.collection = CAST(places.key AS INTEGER) AND c.channel = wanted.value
                            AND c.collection_sequence > ?2 AND c.collection_sequence < ?3
                    ORDER BY c.collection_sequence LIMIT ?4
                ) found
                    CROSS JOIN channel_entries e ON e.document = found.document AND e.channel = found.channel
                    CROSS JOIN documents d ON d.key = found.document
                """, places, stretch.after, stretch.end, stretch.limit, row: pass)
        case (.collection, true):
            try connection.each(
                """
                SELECT d.key, found.position, coalesce(d.local_id, d.unified_id), d.revision, d.flags, d.collection, d.body_size, e.since, e.left_with, found.channel,
                    found.collection
                FROM (
                    SELECT c.document, c.channel, c.collection, c.collection_sequence AS position
                    FROM json_each(?1) places CROSS JOIN json_each(places.value) wanted
                        CROSS JOIN channel_entries c ON c.collection = CAST(places.key AS INTEGER) AND c.channel = wanted.value
                            AND c.collection_sequence > ?2 AND c.collection_sequence < ?3
                    ORDER BY c.collection_sequence DESC LIMIT ?4
                ) found
                    CROSS JOIN channel_entries e ON e.document = found.document AND e.channel = found.channel
                    CROSS JOIN documents d ON d.key = found.document
                """, places, stretch.after, stretch.end, stretch.limit, row: pass)
        }
    }

    func channelHeads(
        _ channels: [StoredChannel], in scope: FeedScope, _ stretch: FeedStretch, _ visit: (StoredChannel, SequenceNumber) throws -> Void
    ) throws {
        let places = Self.places(channels)
        func pass(_ row: Row) throws -> Bool {
            guard let sequence = row.optionalInteger(2) else { return true }
            try visit(StoredChannel(ChannelKey(row.integer(0)), in: CollectionKey(row.integer(1))), SequenceNumber(sequence))
            return true
        }
        switch (scope, stretch.isDescending) {
        case (.unified, false):
            try connection.each(
                """
                SELECT wanted.value, CAST(places.key AS INTEGER), (
                    SELECT min(sequence) FROM channel_entries
                    WHERE collection = CAST(places.key AS INTEGER) AND channel = wanted.value AND sequence > ?2 AND sequence < ?3)
                FROM json_each(?1) places CROSS JOIN json_each(places.value) wanted
                """, places, stretch.after, stretch.end, row: pass)
        case (.unified, true):
            try connection.each(
                """
                SELECT wanted.value, CAST(places.key AS INTEGER), (
                    SELECT max(sequence) FROM channel_entries
                    WHERE collection = CAST(places.key AS INTEGER) AND channel = wanted.value AND sequence > ?2 AND sequence < ?3)
                FROM json_each(?1) places CROSS JOIN json_each(places.value) wanted
                """, places, stretch.after, stretch.end, row: pass)
        case (.collection, false):
            try connection.each(
                """
                SELECT wanted.value, CAST(places.key AS INTEGER), (
                    SELECT min(collection_sequence) FROM channel_entries
                    WHERE collection = CAST(places.key AS INTEGER) AND channel = wanted.value AND collection_sequence > ?2 AND collection_sequence < ?3)
                FROM json_each(?1) places CROSS JOIN json_each(places.value) wanted
                """, places, stretch.after, stretch.end, row: pass)
        case (.collection, true):
            try connection.each(
                """
                SELECT wanted.value, CAST(places.key AS INTEGER), (
                    SELECT max(collection_sequence) FROM channel_entries
                    WHERE collection = CAST(places.key AS INTEGER) AND channel = wanted.value AND collection_sequence > ?2 AND collection_sequence < ?3)
                FROM json_each(?1) places CROSS JOIN json_each(places.value) wanted
                """, places, stretch.after, stretch.end, row: pass)
        }
    }

    /// JSON for `json_each`: an object with an array of channels for each collection.
    private static func places(_ channels: [StoredChannel]) -> String {
        var text: [UInt8] = [UInt8(ascii: "{")]
        for (collection, channels) in Dictionary(grouping: channels, by: \.collection) {
            if text.count > 1 { text.append(UInt8(ascii: ",")) }
            JSONWriter.append(key: "\(collection.value)", to: &text)
            text.append(array: channels) { JSONWriter.append(Int($0.key.value), to: &$1) }
        }
        text.append(UInt8(ascii: "}"))
        return String(decoding: text, as: UTF8.self)
    }
}

extension [UInt8] {
    /// Appends a JSON array.
    fileprivate mutating func append<Elements: Collection>(array elements: Elements, _ append: (Elements.Element, inout [UInt8]) -> Void) {
        self.append(UInt8(ascii: "["))
        for (index, element) in elements.enumerated() {
            if index > 0 { self.append(UInt8(ascii: ",")) }
            append(element, &self)
        }
        self.append(UInt8(ascii: "]"))
    }
}
