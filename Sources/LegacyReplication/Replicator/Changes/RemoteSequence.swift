import Documents

/// A place in a server's feed. Opaque: a number, a text, or with BigCouch an array; the order of two is the server's business.
struct RemoteSequence: Hashable, Sendable {
    /// As it stands in a checkpoint: a string's text, other values' JSON.
    let text: String

    init(_ text: String) {
        self.text = text
    }

    /// Reads a row's `seq`.
    init(reading reader: inout JSONReader) throws {
        switch reader.kind {
        case .string: text = try reader.string()
        case .null, .bool, nil: throw ReplicationError(.upstream, "A row of the changes feed has no usable sequence")
        default: text = String(decoding: try reader.raw(), as: UTF8.self)
        }
    }

    /// As it goes into a POST body: a number if it looks like one, else a string, as Couchbase Lite does.
    var json: JSONValue {
        let isNumber = !text.isEmpty && text.utf8.count < 19 && text.utf8.allSatisfy { 0x30...0x39 ~= $0 }
        return isNumber && (text == "0" || !text.hasPrefix("0")) ? .number(text) : .string(text)
    }
}
