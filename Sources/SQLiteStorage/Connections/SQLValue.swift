import Documents
import GRDBSQLite
package import Storage

/// A value that can be bound to a statement.
package protocol SQLValue {
    /// Binds the value. The statement has its own copy afterwards.
    func bind(to statement: OpaquePointer, at index: Int32)
}

/// SQLITE_TRANSIENT, a macro that Swift does not import: SQLite copies the value.
let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

extension Int64: SQLValue {
    @inline(__always)
    package func bind(to statement: OpaquePointer, at index: Int32) { sqlite3_bind_int64(statement, index, self) }
}

extension Int: SQLValue {
    @inline(__always)
    package func bind(to statement: OpaquePointer, at index: Int32) { sqlite3_bind_int64(statement, index, Int64(self)) }
}

extension Bool: SQLValue {
    package func bind(to statement: OpaquePointer, at index: Int32) { sqlite3_bind_int64(statement, index, self ? 1 : 0) }
}

extension String: SQLValue {
    package func bind(to statement: OpaquePointer, at index: Int32) {
        var text = self
        text.withUTF8 { bytes in
            // An empty string may have no address, and SQLite treats a missing address as null.
            guard let address = bytes.baseAddress else {
                sqlite3_bind_text(statement, index, "", 0, copied)
                return
            }
            address.withMemoryRebound(to: CChar.self, capacity: bytes.count) { pointer in
                _ = sqlite3_bind_text64(statement, index, pointer, UInt64(bytes.count), copied, UInt8(SQLITE_UTF8))
            }
        }
    }
}

extension Array: SQLValue where Element == UInt8 {
    package func bind(to statement: OpaquePointer, at index: Int32) {
        withUnsafeBytes { bytes in
            // A blob without an address is null to SQLite.
            guard let address = bytes.baseAddress, bytes.count > 0 else {
                sqlite3_bind_zeroblob(statement, index, 0)
                return
            }
            sqlite3_bind_blob64(statement, index, address, UInt64(bytes.count), copied)
        }
    }
}

extension Optional: SQLValue where Wrapped: SQLValue {
    @inline(__always)
    package func bind(to statement: OpaquePointer, at index: Int32) {
        guard let self else {
            sqlite3_bind_null(statement, index)
            return
        }
        self.bind(to: statement, at: index)
    }
}

extension SequenceNumber: SQLValue {
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

/// Binds the revision's text.
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

extension PrincipalKind: SQLValue {
    package func bind(to statement: OpaquePointer, at index: Int32) { rawValue.bind(to: statement, at: index) }
}
