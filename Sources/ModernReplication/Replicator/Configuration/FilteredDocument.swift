public import Documents

/// A revision that a filter judges.
public struct FilteredDocument: Sendable {
    public let id: String
    public let revision: RevisionID

    /// The document's own properties, a JSON object; `{}` for a tombstone, and where access was lost.
    public let body: [UInt8]

    public init(id: String, revision: RevisionID, body: [UInt8]) {
        self.id = id
        self.revision = revision
        self.body = body
    }

    /// The properties as a tree.
    public var properties: JSONValue { (try? JSONValue(body)) ?? .object([]) }
}
