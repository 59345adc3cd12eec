/// A media type as in `Content-Type`: `multipart/related; boundary="abc"`.
package struct MediaType: Sendable, Hashable {
    /// The type in lower case: `multipart`.
    package let type: String
    /// The subtype in lower case: `related`.
    package let subtype: String
    /// The parameters after the first semicolon.
    package var parameters: HeaderParameters

    /// Creates a media type; both names must be in lower case.
    package init(type: String, subtype: String, parameters: HeaderParameters = HeaderParameters()) {
        self.type = type
        self.subtype = subtype
        self.parameters = parameters
    }

    /// Parses a header's value; `nil` if it does not begin with `type/subtype`.
    package init?(_ header: some StringProtocol) {
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
    package var essence: String { "\(type)/\(subtype)" }

    /// Whether the type is `application/json`, with any parameters: Java and .NET add `charset=utf-8`.
    package var isJSON: Bool { type == "application" && subtype == "json" }

    /// Whether the type is any `multipart/` type.
    package var isMultipart: Bool { type == "multipart" }

    /// The boundary of a multipart type, not validated.
    package var boundary: String? { parameters["boundary"] }

    /// The charset parameter, unchanged.
    package var charset: String? { parameters["charset"] }

    /// The header's value; parameter values are quoted if necessary.
    package var rendered: String { essence + parameters.rendered }
}

/// The `; name=value; name="value"` part of a header such as `Content-Type`, in order.
package struct HeaderParameters: Sendable, Hashable {
    /// One parameter: its name in lower case, its value unquoted.
    package struct Parameter: Sendable, Hashable {
        /// The name in lower case.
        package var name: String
        /// The value without quotes and escapes.
        package var value: String

        /// Creates a parameter; the name must be in lower case.
        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The maximum number of parsed parameters; further ones are ignored. No supported header has more than three.
    static let maximumCount = 32

    /// All parameters in their order, including repeated names.
    package private(set) var items: [Parameter]

    /// Creates parameters to send.
    package init(_ items: [Parameter] = []) {
        self.items = items
    }

    /// The value of the first parameter with this lower-case name.
    package subscript(name: String) -> String? {
        items.first { $0.name == name }?.value
    }

    /// Parses the parameters, beginning at the first `;` of a header.
    ///
    /// The parser accepts blank pieces, unterminated quotes, and any character except `;` in unquoted values: some clients send boundaries
    /// unquoted although their characters require quotes.
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

    /// Parses a quoted or plain value at the start of the bytes, and returns it with the rest.
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

    /// The parameters in header form, each with a leading `; `. Values that are not tokens are quoted.
    var rendered: String {
        items.map { item in
            let isToken = !item.value.isEmpty && item.value.utf8.allSatisfy(ASCII.isToken)
            return "; \(item.name)=\(isToken ? item.value : Self.quoted(item.value))"
        }.joined()
    }

    /// The text in quotes, with `"` and `\` escaped by a backslash.
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
