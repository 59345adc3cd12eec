import Documents
public import Scripting

extension ConflictResolver {
    /// A JavaScript function `function (conflict) { return conflict.localDocument; }`, which returns the document to keep, of its own making if
    /// it likes, or null to delete it. A side that is a tombstone is null.
    ///
    /// - Parameter owner: whose function it is: functions of two owners never share a context.
    public static func javaScript(_ source: String, owner: String, engine: ScriptEngine) -> ConflictResolver {
        let function = ScriptFunction.resolver(source, owner: owner)
        return ConflictResolver { conflict in
            let input = ConflictInput(
                documentID: conflict.documentID, localDocument: conflict.local.document, remoteDocument: conflict.remote.document,
                localRevision: "\(conflict.local.revision)", remoteRevision: "\(conflict.remote.revision)")
            switch try await engine.call(function, input) {
            case .local: return .local
            case .remote: return .remote
            case .merged(let body): return .merged(body)
            case .delete: return .deleted
            }
        }
    }
}

extension Conflict.Side {
    /// The document as a function sees it; `nil` for a tombstone.
    fileprivate var document: [UInt8]? {
        guard !isDeleted else { return nil }
        guard let attachments else { return body }
        var member: [UInt8] = []
        JSONWriter.append(key: "_attachments", to: &member)
        member.append(contentsOf: attachments)
        return JSONObject.adding(member, to: body)
    }
}
