public import Documents
import Gateway

/// A revision that a push filter judges: Couchbase Lite 1.x's `SavedRevision`.
public struct PushedRevision: Sendable {
    public let id: String
    public let revision: RevisionID
    public let isDeleted: Bool

    /// The document as 1.x knows it, with `_id`, `_rev` and `_deleted`.
    public let json: [UInt8]

    /// A property of the document; `nil` if it has none of this name.
    public subscript(name: String) -> JSONValue? {
        properties[name]
    }

    /// All properties.
    public var properties: JSONValue { (try? JSONValue(document: json)) ?? .object([]) }
}

extension PushedRevision {
    init(_ content: RevisionContent) {
        var json: [UInt8] = []
        content.renderer().append(to: &json)
        self.init(id: content.id, revision: content.revision, isDeleted: content.isDeleted, json: json)
    }
}
