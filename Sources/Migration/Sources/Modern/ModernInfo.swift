import Storage

/// What a Couchbase Lite 2.x+ database says of itself in the table `kv_info`.
struct ModernInfo {
    /// 0: revision trees as in 2.x, 1: as in 3.x, 2: version vectors (LiteCore, C4DocumentVersioning).
    private(set) var versioning = 0

    /// Fleece.
    private(set) var sharedKeys: [UInt8] = [0x60, 0x00]

    /// What tells the database from its copies and ancestors, in hexadecimal.
    private(set) var privateUUID: String?

    init(_ connection: Connection) throws {
        try connection.each("SELECT key, body FROM kv_info WHERE key IN ('versioning', 'SharedKeys', 'privateUUID')") { row in
            switch row.text(0) {
            case "versioning": versioning = row.bytes(1).reduce(0) { $0 &<< 8 | Int($1) }
            case "SharedKeys": sharedKeys = row.bytes(1)
            default: privateUUID = row.bytes(1).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            }
            return true
        }
    }
}
