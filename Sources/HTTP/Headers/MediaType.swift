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
