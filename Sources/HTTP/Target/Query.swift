/// The query of a request's target: names and values in order, `+` and percent-encoding decoded.
public struct Query: Sendable, Hashable {
    /// As it was sent, without the question mark. Empty if there was none, or nothing after it (browsers with PouchDB).
    public let raw: String
    /// Decoded, in the order in which they were sent, repeated names included.
    public let items: [QueryItem]

    /// A query to send. Names and values are percent-encoded, space as `%20`.
    public init(_ items: [QueryItem]) {
        self.items = items
        raw = items.map { item in
            "\(PercentEncoding.encodeQueryComponent(item.name))=\(PercentEncoding.encodeQueryComponent(item.value))"
        }.joined(separator: "&")
    }

    init(parsing bytes: ArraySlice<UInt8>, limit: Int) throws(RequestTargetError) {
        raw = String(decoding: bytes, as: UTF8.self)
        var items: [QueryItem] = []
        var rest = bytes
        while !rest.isEmpty {
            let piece = rest.prefix { $0 != ASCII.ampersand }
            rest = rest[piece.endIndex...].dropFirst()
            if piece.isEmpty { continue }
            guard items.count < limit else {
                throw RequestTargetError(.tooManyQueryItems, "The URL's query has more than \(limit) items: send them in a POST body.")
            }
            let name = piece.prefix { $0 != ASCII.equals }
            let value = piece[name.endIndex...].dropFirst()
            items.append(
                QueryItem(try PercentEncoding.decode(name, plusIsSpace: true), try PercentEncoding.decode(value, plusIsSpace: true)))
        }
        self.items = items
    }

    /// Whether there are no items.
    public var isEmpty: Bool { items.isEmpty }
}

extension Query {
    /// The value of the first item of that name.
    public subscript(name: String) -> String? {
        items.first { $0.name == name }?.value
    }

    /// The values of all items of that name.
    public func values(named name: String) -> [String] {
        items.filter { $0.name == name }.map(\.value)
    }

    /// Whether there is an item of that name, with or without a value.
    public func contains(_ name: String) -> Bool {
        items.contains { $0.name == name }
    }

    /// Numbers of queries are at most this far from zero, so that sums and products of a few of them cannot overflow.
    public static let numbers = -(1 << 40)...(1 << 40)

    /// A whole number, `nil` if the item is missing or empty. One beyond ``numbers`` counts as their end: more rows than that nobody has.
    ///
    /// - Throws: `invalidParameter` if the value is anything else, or does not fit into 64 bits.
    public func int(_ name: String) throws(RequestTargetError) -> Int? {
        guard let value = self[name], !value.isEmpty else { return nil }
        guard let number = Self.number(value) else { throw Self.mismatch(name, "a whole number") }
        return number
    }

    /// The number that a text is, as ``int(_:)`` reads it.
    public static func number(_ text: String) -> Int? {
        Int(text).map { min(max($0, numbers.lowerBound), numbers.upperBound) }
    }

    /// `true` or `false` (or 1 or 0), `nil` if the item is missing or empty.
    ///
    /// - Throws: `invalidParameter` if the value is anything else.
    public func bool(_ name: String) throws(RequestTargetError) -> Bool? {
        switch self[name] {
        case nil, "": nil
        case "true", "1": true
        case "false", "0": false
        default: throw Self.mismatch(name, "true or false")
        }
    }

    /// The bytes of a value that is JSON, such as `keys=["a","b"]` or `atts_since=[]`; `nil` if missing or empty.
    public func json(_ name: String) -> [UInt8]? {
        guard let value = self[name], !value.isEmpty else { return nil }
        return Array(value.utf8)
    }

    private static func mismatch(_ name: String, _ expected: String) -> RequestTargetError {
        RequestTargetError(.invalidParameter, "The query parameter \(name) must be \(expected).")
    }
}

/// A name and value of a query, decoded. An item without `=` has an empty value.
public struct QueryItem: Sendable, Hashable {
    /// Decoded.
    public let name: String
    /// Decoded; empty if there was none.
    public let value: String

    /// An item; neither is to be encoded.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}
