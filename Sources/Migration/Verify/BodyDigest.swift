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
    ///
    /// A whole number keeps all of its digits: two that differ behind the 15th are the same as floating-point numbers.
    private static func normal(_ value: JSONValue) -> JSONValue {
        switch value {
        case .number(let text): .number(spelling(text))
        case .array(let items): .array(items.map { normal($0) })
        case .object(let members): .object(members.map { JSONMember($0.key, normal($0.value)) })
        default: value
        }
    }

    private static func spelling(_ text: String) -> String {
        let isWhole = text.utf8.allSatisfy { 0x30...0x39 ~= $0 || $0 == UInt8(ascii: "-") }
        guard !isWhole || text == "-0", let number = Double(text) else { return text }
        return Int64(exactly: number).map(String.init) ?? "\(number)"
    }
}
