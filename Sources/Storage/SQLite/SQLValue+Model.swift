import Documents
import GRDBSQLite

extension Sequence: SQLValue {
    package func bind(to statement: OpaquePointer, at index: Int32) { value.bind(to: statement, at: index) }
}

extension DocumentKey: SQLValue {
    package func bind(to statement: OpaquePointer, at index: Int32) { value.bind(to: statement, at: index) }
}

extension CollectionKey: SQLValue {
    package func bind(to statement: OpaquePointer, at index: Int32) { value.bind(to: statement, at: index) }
}

extension DocumentFlags: SQLValue {
    package func bind(to statement: OpaquePointer, at index: Int32) { rawValue.bind(to: statement, at: index) }
}

/// As its text.
extension RevisionID: SQLValue {
    package func bind(to statement: OpaquePointer, at index: Int32) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(64)
        append(to: &bytes)
        bytes.withUnsafeBytes { bytes in
            let pointer = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            _ = sqlite3_bind_text64(statement, index, pointer, UInt64(bytes.count), copied, UInt8(SQLITE_UTF8))
        }
    }
}

extension FeedScope {
    /// The scope's number in the schema: a collection's key, or 0 for the unified keyspace.
    var number: Int64 {
        switch self {
        case .unified: 0
        case .collection(let key): key.value
        }
    }
}
