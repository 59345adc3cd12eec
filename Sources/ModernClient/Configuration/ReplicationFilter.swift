public import Documents
import ModernProtocol
public import Scripting

/// Says whether a document is to be replicated. It should depend on what it is given and nothing else, and be quick.
public struct ReplicationFilter: Sendable {
    let allows: @Sendable (FilteredDocument, ReplicatedDocument.Flags) async throws -> Bool

    /// - Parameter allows: True if the document is to be replicated. A filter that throws leaves the document out, with the error.
    public init(_ allows: @escaping @Sendable (FilteredDocument, ReplicatedDocument.Flags) async throws -> Bool) {
        self.allows = allows
    }

    /// Asks the filter.
    public func callAsFunction(_ document: FilteredDocument, _ flags: ReplicatedDocument.Flags) async throws -> Bool {
        try await allows(document, flags)
    }

    /// A JavaScript function `function (doc, flags) { … }`, `doc` with its `_id`, `flags` as in `{"deleted": true}`.
    ///
    /// - Parameter owner: whose function it is: functions of two owners never share a context.
    public static func javaScript(_ source: String, owner: String, engine: ScriptEngine) -> ReplicationFilter {
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

/// Properties by their names, as documents of Couchbase Lite have them.
extension FilteredDocument {
    /// A property; `nil` if the document has none of this name.
    public subscript(key: String) -> JSONValue? { properties[key] }

    /// A text; `nil` if there is none of this name.
    public func string(forKey key: String) -> String? { self[key]?.string }

    /// A whole number; 0 if there is none of this name.
    public func int(forKey key: String) -> Int { self[key]?.int ?? 0 }

    /// A number; 0 if there is none of this name.
    public func double(forKey key: String) -> Double { self[key]?.double ?? 0 }

    /// A truth value, or whether there is anything but null and 0 of this name.
    public func boolean(forKey key: String) -> Bool {
        switch self[key] {
        case nil, .null: false
        case .bool(let value): value
        case .number(let text): Double(text) != 0
        case .string, .array, .object: true
        }
    }
}
