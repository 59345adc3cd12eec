/// A name and value of a query, decoded. An item without `=` has an empty value.
public struct QueryItem: Sendable, Hashable {
    public let name: String
    public let value: String

    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}
