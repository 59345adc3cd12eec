import Documents

/// The key of a stored row: the values of its table's key columns. Keys of one table are in the order in which both engines sort them.
package struct StoredKey: Hashable, Sendable, Codable {
    package enum Value: Hashable, Sendable, Codable {
        case integer(Int64)

        /// Text in UTF-8, or bytes.
        case bytes([UInt8])
    }

    package let values: [Value]

    package init(_ values: [Value]) {
        self.values = values
    }
}

extension StoredKey.Value: Comparable {
    package static func < (a: Self, b: Self) -> Bool {
        switch (a, b) {
        case (.integer(let a), .integer(let b)): a < b
        case (.bytes(let a), .bytes(let b)): a.lexicographicallyPrecedes(b)
        case (.integer, .bytes): true
        case (.bytes, .integer): false
        }
    }
}

extension StoredKey: Comparable {
    package static func < (a: StoredKey, b: StoredKey) -> Bool { a.values.lexicographicallyPrecedes(b.values) }
}

extension StoredKey {
    /// The key for messages: `key 17`, or `kind 1, scope 0, id "abc"`.
    package func text(in table: CopiedTable) -> String {
        zip(table.keyColumns, values).map { column, value in
            switch value {
            case .integer(let number): "\(column.name) \(number)"
            case .bytes(let bytes) where column.kind == .text: "\(column.name) \"\(String(decoding: bytes, as: UTF8.self))\""
            case .bytes(let bytes): "\(column.name) \(Hex.text(bytes))"
            }
        }.joined(separator: ", ")
    }
}
