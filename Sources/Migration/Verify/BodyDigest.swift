import Documents

/// What two sides compare of a body: servers write keys in another order, and numbers and strings in another spelling.
enum BodyDigest {
    static func text(of body: [UInt8]) -> String {
        guard let value = try? JSONValue(body) else { return digest(body) }
        var bytes: [UInt8] = []
        normal(value).append(to: &bytes)
        return digest((try? CanonicalJSON.encode(bytes, style: .syncGateway)) ?? bytes)
    }

    private static func digest(_ bytes: [UInt8]) -> String { AttachmentDigest.sha1(of: bytes).description }

    /// The same with each number in one spelling: JavaScript and Erlang write `1.50` as `1.5`, and `1e2` as `100`.
    private static func normal(_ value: JSONValue) -> JSONValue {
        switch value {
        case .number(let text): .number(Double(text).map { "\($0)" } ?? text)
        case .array(let items): .array(items.map { normal($0) })
        case .object(let members): .object(members.map { JSONMember($0.key, normal($0.value)) })
        default: value
        }
    }
}
