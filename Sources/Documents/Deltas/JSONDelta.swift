/// The difference of two JSON texts in the format of Couchbase Lite and Sync Gateway: JSON that turns the old text into the new one.
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
/// (couchbase/fleece, `Deltas.md`; docs/protocol/modern-2x.md#delta-format.) Values that the delta does not mention are copied byte for
/// byte: no unchanged number or text is ever reformatted.
package enum JSONDelta {
    /// The maximum nesting depth of a delta that is applied.
    package static let maximumDepth = 100

    /// The maximum number of members and elements that a delta may mention.
    package static let maximumEntries = 100_000

    /// The maximum size of a text for which a delta is created, in bytes.
    package static let maximumSizeForCreation = 4 << 20

    /// The difference of two texts.
    ///
    /// - Throws: ``DocumentError``: `tooLarge` if comparing them would take too long, `badJSON` if one of them is not JSON.
    package static func create(from old: [UInt8], to new: [UInt8]) throws(DocumentError) -> [UInt8] {
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

    /// The text that results from applying a delta.
    ///
    /// The result is at most as long as both inputs together. It is well-formed, but may be nested as deeply as both inputs together.
    /// Callers must check it like any input from outside.
    ///
    /// - Throws: ``DocumentError`` `badDelta` if the delta is malformed or does not match the text.
    package static func apply(_ delta: [UInt8], to old: [UInt8]) throws(DocumentError) -> [UInt8] {
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

    /// The text's single value, without surrounding whitespace.
    private static func trimmed(_ json: [UInt8]) throws -> ArraySlice<UInt8> {
        try JSONReader.read(json) { try $0.raw() }
    }

    static func bad(_ what: String) -> DocumentError {
        DocumentError(.badDelta, "The delta \(what)")
    }
}
