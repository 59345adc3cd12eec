/// The difference of two JSON texts, as Couchbase Lite and Sync Gateway write it: JSON that makes the new one out of the old one.
///
/// | delta | meaning |
/// |---|---|
/// | a number, a text, true, false, null | the value is replaced by it |
/// | `[x]`, `[old, x]` | the value is replaced by x, or x is inserted |
/// | `[]`, `[old, 0, 0]` | the member is removed |
/// | `["4=1-1+d|31=", 0, 2]` | the text is patched: see ``TextPatch`` |
/// | `{"key": delta, …}` for an object | these members change, the others stay |
/// | `{"0": delta, …, "3-": […]}` for an array | these elements change; from the fourth on, all are replaced by those of the list |
/// | `{}` | nothing changes |
///
/// (couchbase/fleece, `Deltas.md`; docs/protocol/modern-2x.md#delta-format.) What a delta does not name stays as its bytes are: no number and no
/// text is ever written anew that has not changed.
public enum JSONDelta {
    /// How deeply changes may be nested. What lies deeper is replaced as a whole.
    public static let maximumDepth = 100

    /// How many members and elements a delta may name.
    public static let maximumEntries = 100_000

    /// The largest text, in bytes, that differences are looked for in.
    public static let maximumSizeForCreation = 4 << 20

    /// The difference of two texts.
    ///
    /// - Throws: ``DocumentError``: `tooLarge` where comparing them would take too long, `badJSON` where one is not JSON.
    public static func create(from old: [UInt8], to new: [UInt8]) throws(DocumentError) -> [UInt8] {
        guard max(old.count, new.count) <= maximumSizeForCreation else {
            throw DocumentError(.tooLarge, "Texts of more than \(maximumSizeForCreation) bytes are not compared")
        }
        do {
            var writer = DeltaWriter()
            guard try writer.write(from: trimmed(old), to: trimmed(new)) else { return Array("{}".utf8) }
            return writer.bytes
        } catch let error as DocumentError {
            throw error
        } catch {
            throw DocumentError(.badJSON, "Only JSON texts can be compared", cause: error as? JSONError)
        }
    }

    /// What a delta makes of a text.
    ///
    /// The result is at most as long as both together. It is well-formed, but may be nested as deeply as both together: check it as anything
    /// that comes from outside.
    ///
    /// - Throws: ``DocumentError`` `badDelta` if the delta is malformed or does not fit the text.
    public static func apply(_ delta: [UInt8], to old: [UInt8]) throws(DocumentError) -> [UInt8] {
        do {
            var reader = DeltaReader()
            let node = try JSONReader.read(delta) { try reader.node(&$0, depth: 0) }
            var patcher = DeltaPatcher()
            try JSONReader.read(old) { try patcher.apply(node, to: &$0) }
            return patcher.bytes
        } catch let error as DocumentError {
            throw error
        } catch {
            throw DocumentError(.badDelta, "The delta or its base is malformed", cause: error as? JSONError)
        }
    }

    /// The text's one value, without what surrounds it.
    private static func trimmed(_ json: [UInt8]) throws -> ArraySlice<UInt8> {
        try JSONReader.read(json) { try $0.raw() }
    }

    static func bad(_ what: String) -> DocumentError {
        DocumentError(.badDelta, "The delta \(what)")
    }
}
