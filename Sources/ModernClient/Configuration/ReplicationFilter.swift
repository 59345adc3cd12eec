public import Documents
import ModernProtocol
package import Scripting

/// Decides whether a document is replicated. A filter should depend on its arguments only, and be fast.
public struct ReplicationFilter: Sendable {
    let allows: @Sendable (FilteredDocument, ReplicatedDocument.Flags) async throws -> Bool

    /// Creates a filter.
    ///
    /// - Parameter allows: Returns true if the document is to be replicated. If it throws, the document is skipped with that error.
    public init(_ allows: @escaping @Sendable (FilteredDocument, ReplicatedDocument.Flags) async throws -> Bool) {
        self.allows = allows
    }

    /// Evaluates the filter.
    ///
    /// - Throws: The filter's errors.
    public func callAsFunction(_ document: FilteredDocument, _ flags: ReplicatedDocument.Flags) async throws -> Bool {
        try await allows(document, flags)
    }

    /// A filter from a JavaScript function `function (doc, flags) { … }`, `doc` with its `_id`, `flags` as in `{"deleted": true}`.
    ///
    /// - Parameter owner: The function's owner: functions of two owners never share a context.
    package static func javaScript(_ source: String, owner: String, engine: ScriptEngine) -> ReplicationFilter {
        let function = ScriptFunction.filter(source, owner: owner)
        return ReplicationFilter { document, flags in
            var member: [UInt8] = []
            JSONWriter.append(key: "_id", to: &member)
            JSONWriter.append(document.id, to: &member)
            let body = JSONObject.adding(member, to: document.body)
            let flags = "{\"deleted\":\(flags.contains(.deleted)),\"accessRemoved\":\(flags.contains(.accessRemoved))}"
            return try await engine.call(function, FilterInput(document: body, request: Array(flags.utf8)))
        }
    }
}

/// The revision that a filter evaluates.
public struct FilteredDocument: Sendable {
    /// The document's ID.
    public let id: String

    /// The revision's ID.
    public let revision: RevisionID

    /// The document's own properties, a JSON object; `{}` for a tombstone and for lost access.
    public let body: [UInt8]

    /// Creates a document, for tests of a filter.
    public init(id: String, revision: RevisionID, body: [UInt8]) {
        self.id = id
        self.revision = revision
        self.body = body
    }

    /// The properties as a tree.
    public var properties: JSONValue { (try? JSONValue(body)) ?? .object([]) }
}

/// Access to properties by name, as in Couchbase Lite's documents.
extension FilteredDocument {
    /// A property; `nil` if the document has none of this name.
    public subscript(key: String) -> JSONValue? { properties[key] }

    /// A string; `nil` if there is none of this name.
    public func string(forKey key: String) -> String? { self[key]?.string }

    /// A whole number; 0 if there is none of this name.
    public func int(forKey key: String) -> Int { self[key]?.int ?? 0 }

    /// A number; 0 if there is none of this name.
    public func double(forKey key: String) -> Double { self[key]?.double ?? 0 }

    /// A Boolean value; for other types, whether the value exists and is neither null nor 0.
    public func boolean(forKey key: String) -> Bool {
        switch self[key] {
        case nil, .null: false
        case .bool(let value): value
        case .number(let text): Double(text) != 0
        case .string, .array, .object: true
        }
    }
}
