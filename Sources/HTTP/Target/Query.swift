/// The query of a request's target: names and values in order, `+` and percent-encoding decoded.
package struct Query: Sendable, Hashable {
    /// The query as sent, without the question mark. Empty if there is no query, or only a question mark (browsers with PouchDB).
    package let raw: String
    /// The decoded items in their order, including repeated names.
    package let items: [QueryItem]

    /// Creates a query to send. Names and values are percent-encoded, space as `%20`.
    package init(_ items: [QueryItem]) {
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
    package var isEmpty: Bool { items.isEmpty }
}

extension Query {
    /// The value of the first item with this name.
    package subscript(name: String) -> String? {
        items.first { $0.name == name }?.value
    }

    /// The values of all items with this name.
    package func values(named name: String) -> [String] {
        items.filter { $0.name == name }.map(\.value)
    }

    /// Whether there is an item with this name, with or without a value.
    package func contains(_ name: String) -> Bool {
        items.contains { $0.name == name }
    }

    /// The range of numbers in queries, limited so that sums and products of a few of them cannot overflow.
    package static let numbers = -(1 << 40)...(1 << 40)

    /// An integer; `nil` if the item is missing or empty. Values outside ``numbers`` are clamped: no database has more rows.
    ///
    /// - Throws: `invalidParameter` if the value is not an integer, or does not fit 64 bits.
    package func int(_ name: String) throws(RequestTargetError) -> Int? {
        guard let value = self[name], !value.isEmpty else { return nil }
        guard let number = Self.number(value) else { throw Self.mismatch(name, "a whole number") }
        return number
    }

    /// Parses a number like ``int(_:)``.
    package static func number(_ text: String) -> Int? {
        Int(text).map { min(max($0, numbers.lowerBound), numbers.upperBound) }
    }

    /// `true` or `false` (or 1 or 0); `nil` if the item is missing or empty.
    ///
    /// - Throws: `invalidParameter` for any other value.
    package func bool(_ name: String) throws(RequestTargetError) -> Bool? {
        switch self[name] {
        case nil, "": nil
        case "true", "1": true
        case "false", "0": false
        default: throw Self.mismatch(name, "true or false")
        }
    }

    /// The bytes of a JSON value, such as `keys=["a","b"]` or `atts_since=[]`; `nil` if missing or empty.
    package func json(_ name: String) -> [UInt8]? {
        guard let value = self[name], !value.isEmpty else { return nil }
        return Array(value.utf8)
    }

    private static func mismatch(_ name: String, _ expected: String) -> RequestTargetError {
        RequestTargetError(.invalidParameter, "The query parameter \(name) must be \(expected).")
    }
}

/// A decoded name and value of a query. An item without `=` has an empty value.
package struct QueryItem: Sendable, Hashable {
    /// The decoded name.
    package let name: String
    /// The decoded value; empty if there is none.
    package let value: String

    /// Creates an item from an unencoded name and value.
    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}
