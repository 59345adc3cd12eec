extension BLIPMessage {
    /// The reply to the request with `number`, saying that it failed.
    ///
    /// Peers understand the domain `HTTP` best; any domain that they don't know ends the replication of Couchbase Lite 3.1 and later
    /// (docs/protocol/modern-2x.md#error-replies). `BLIP` 404 means that nobody handles such requests.
    public static func error(to number: UInt64, domain: String = "HTTP", code: Int, message: String) -> BLIPMessage {
        var properties = BLIPProperties()
        properties.add("Error-Domain", domain)
        properties.add("Error-Code", String(code))
        return BLIPMessage(type: .error, number: number, properties: properties, body: Array(message.utf8))
    }

    /// The domain of an error reply's code. A reply that names none means `BLIP`. `nil` if this is no error reply.
    public var errorDomain: String? {
        type == .error ? properties["Error-Domain"] ?? "BLIP" : nil
    }

    /// An error reply's code, 0 if it has none that is a number of 32 bits, as LiteCore's codes are. `nil` if this is no error reply.
    public var errorCode: Int? {
        guard type == .error else { return nil }
        return properties.integer("Error-Code").flatMap { Int32(exactly: $0) }.map { Int($0) } ?? 0
    }

    /// The text of an error reply. `nil` if this is no error reply.
    public var errorMessage: String? {
        type == .error ? String(decoding: body, as: UTF8.self) : nil
    }
}
