/// The keys that a database's documents share and that Fleece encodes as numbers (fleece, SharedKeys.hh).
struct SharedKeys: Sendable {
    private let keys: [[UInt8]]

    /// No keys.
    init() {
        keys = []
    }

    /// Decodes the keys of a database: a Fleece array of strings.
    init(_ bytes: [UInt8]) throws(FleeceError) {
        let result = bytes.withUnsafeBufferPointer { buffer in
            Result<[[UInt8]], FleeceError> { () throws(FleeceError) in try Self.read(FleeceBytes(buffer)) }
        }
        keys = try result.get()
    }

    /// The key with this number; `nil` if it does not exist.
    subscript(_ number: Int) -> [UInt8]? {
        keys.indices.contains(number) ? keys[number] : nil
    }

    private static func read(_ bytes: FleeceBytes) throws(FleeceError) -> [[UInt8]] {
        let root = try bytes.root()
        guard try bytes.byte(root.offset, before: root.end) >> 4 == 6 else { throw FleeceError("an array is expected", at: root.offset) }
        let items = try bytes.items(root.offset, perItem: 1, before: root.end)
        var keys: [[UInt8]] = []
        for index in 0..<items.count {
            let item = items.offset(index)
            let key = try bytes.resolve(item, width: items.width, before: items.end(index))
            guard try bytes.byte(key.offset, before: key.end) >> 4 == 4 else { throw FleeceError("a string is expected", at: key.offset) }
            keys.append(Array(try bytes.text(key.offset, before: key.end)))
        }
        return keys
    }
}
