/// A media type as in `Content-Type`: `multipart/related; boundary="abc"`.
public struct MediaType: Sendable, Hashable {
    /// In lower case: `multipart`.
    public let type: String
    /// In lower case: `related`.
    public let subtype: String
    /// What follows the first semicolon.
    public var parameters: HeaderParameters

    /// A media type; both names in lower case.
    public init(type: String, subtype: String, parameters: HeaderParameters = HeaderParameters()) {
        self.type = type
        self.subtype = subtype
        self.parameters = parameters
    }

    /// Reads a header's value; `nil` if it does not begin with `type/subtype`.
    public init?(_ header: some StringProtocol) {
        let bytes = Array(header.utf8)
        let essence = ASCII.trimmed(bytes.prefix { $0 != ASCII.semicolon })
        guard let slash = essence.firstIndex(of: ASCII.slash) else { return nil }
        let type = essence[..<slash]
        let subtype = essence[(slash + 1)...]
        guard !type.isEmpty, !subtype.isEmpty, type.allSatisfy(ASCII.isToken), subtype.allSatisfy(ASCII.isToken) else { return nil }
        self.type = ASCII.lowercasedText(type)
        self.subtype = ASCII.lowercasedText(subtype)
        parameters = HeaderParameters(parsing: bytes.drop { $0 != ASCII.semicolon })
    }

    /// `type/subtype` without parameters.
    public var essence: String { "\(type)/\(subtype)" }

    /// `application/json`, whatever its parameters: Java and .NET add `charset=utf-8`.
    public var isJSON: Bool { type == "application" && subtype == "json" }

    /// Any `multipart/` type.
    public var isMultipart: Bool { type == "multipart" }

    /// The boundary of a multipart type, unchecked.
    public var boundary: String? { parameters["boundary"] }

    /// The charset parameter as it was sent.
    public var charset: String? { parameters["charset"] }

    /// As a header's value; parameter values are quoted where they must be.
    public var rendered: String { essence + parameters.rendered }
}

/// The `; name=value; name="value"` part of a header such as `Content-Type`, in order.
public struct HeaderParameters: Sendable, Hashable {
    /// One parameter: its name in lower case, its value unquoted.
    public struct Parameter: Sendable, Hashable {
        /// In lower case.
        public var name: String
        /// Without quotes and escapes.
        public var value: String

        /// A parameter; the name in lower case.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Further parameters than these are not looked at: no header of ours has more than three.
    static let maximumCount = 32

    /// In the order in which they stand, repeated names included.
    public private(set) var items: [Parameter]

    /// Parameters to send.
    public init(_ items: [Parameter] = []) {
        self.items = items
    }

    /// The value of the first parameter of that name, given in lower case.
    public subscript(name: String) -> String? {
        items.first { $0.name == name }?.value
    }

    /// Reads what stands after the first `;` of a header. Tolerant: blank pieces, unterminated quotes, and any
    /// character but `;` in unquoted values, because boundaries are sent unquoted with characters that want quotes.
    init(parsing bytes: ArraySlice<UInt8>) {
        items = []
        var rest = bytes
        while items.count < Self.maximumCount {
            rest = rest.drop { $0 == ASCII.semicolon || ASCII.isBlank($0) }
            guard !rest.isEmpty else { return }
            let name = ASCII.trimmed(rest.prefix { $0 != ASCII.equals && $0 != ASCII.semicolon })
            rest = rest.drop { $0 != ASCII.equals && $0 != ASCII.semicolon }
            var value: [UInt8] = []
            if rest.first == ASCII.equals {
                rest = rest.dropFirst().drop(while: ASCII.isBlank)
                (value, rest) = Self.value(at: rest)
            }
            if !name.isEmpty { items.append(Parameter(name: ASCII.lowercasedText(name), value: ASCII.text(value))) }
        }
    }

    /// A quoted or plain value at the start of the bytes, and what follows its end.
    static func value(at bytes: ArraySlice<UInt8>) -> (value: [UInt8], rest: ArraySlice<UInt8>) {
        guard bytes.first == ASCII.quote else {
            let plain = bytes.prefix { $0 != ASCII.semicolon }
            return (Array(ASCII.trimmed(plain)), bytes[plain.endIndex...])
        }
        var value: [UInt8] = []
        var index = bytes.startIndex + 1
        while index < bytes.endIndex, bytes[index] != ASCII.quote {
            if bytes[index] == ASCII.backslash, index + 1 < bytes.endIndex { index += 1 }
            value.append(bytes[index])
            index += 1
        }
        return (value, bytes[min(index + 1, bytes.endIndex)...].drop { $0 != ASCII.semicolon })
    }

    /// The parameters as they stand in a header, each with its leading `; `. Values that are no tokens are quoted.
    var rendered: String {
        items.map { item in
            let isToken = !item.value.isEmpty && item.value.utf8.allSatisfy(ASCII.isToken)
            return "; \(item.name)=\(isToken ? item.value : Self.quoted(item.value))"
        }.joined()
    }

    /// The text between quotes, `"` and `\` escaped by a backslash.
    static func quoted(_ text: String) -> String {
        var bytes: [UInt8] = [ASCII.quote]
        for byte in text.utf8 {
            if byte == ASCII.quote || byte == ASCII.backslash { bytes.append(ASCII.backslash) }
            bytes.append(byte)
        }
        bytes.append(ASCII.quote)
        return String(decoding: bytes, as: UTF8.self)
    }
}
