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
