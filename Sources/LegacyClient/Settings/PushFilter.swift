public import Documents
import Gateway
import LegacyProtocol
package import Scripting

/// Selects the revisions to push: Couchbase Lite 1.x's `ReplicationFilter`. The result should depend only on the arguments, and the filter should
/// be fast.
public struct PushFilter: Sendable {
    let allows: @Sendable ([PushedRevision], [String: JSONValue]) async throws -> [Bool]

    /// Creates a filter.
    ///
    /// - Parameter allows: Returns whether the revision is pushed; its second argument is the replication's `filterParams`.
    public init(_ allows: @escaping @Sendable (PushedRevision, [String: JSONValue]) -> Bool) {
        self.allows = { revisions, parameters in revisions.map { allows($0, parameters) } }
    }

    /// A JavaScript filter function in CouchDB's form: `function (doc, req) { return doc.owner == req.query.name }`. `req.query` contains the
    /// parameters with their types.
    ///
    /// - Parameter name: The filter's name in errors.
    package static func javaScript(_ source: String, name: String, engine: ScriptEngine) -> PushFilter {
        let function = ScriptFunction.filter(source, owner: name)
        return PushFilter(batch: { revisions, parameters in
            var request = Array("{\"query\":".utf8)
            JSONValue.object(parameters.sorted { $0.key < $1.key }.map { JSONMember($0.key, $0.value) }).append(to: &request)
            request.append(UInt8(ascii: "}"))
            let inputs = revisions.map { FilterInput(document: $0.json, request: request) }
            return try await engine.call(function, each: inputs).map { try $0.get() }
        })
    }

    private init(batch allows: @escaping @Sendable ([PushedRevision], [String: JSONValue]) async throws -> [Bool]) {
        self.allows = allows
    }
}

/// The argument of a push filter: Couchbase Lite 1.x's `SavedRevision`.
public struct PushedRevision: Sendable {
    /// The document's ID.
    public let id: String

    /// The revision's ID.
    public let revision: RevisionID

    /// Whether the revision deletes the document.
    public let isDeleted: Bool

    /// The document in 1.x form, with `_id`, `_rev` and `_deleted`.
    public let json: [UInt8]

    /// A property of the document; `nil` if it does not exist.
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
