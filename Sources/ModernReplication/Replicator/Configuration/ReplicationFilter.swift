import Documents
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
