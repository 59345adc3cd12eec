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
