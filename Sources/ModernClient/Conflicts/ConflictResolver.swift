public import Documents
import ModernProtocol
public import Scripting

/// Says what becomes of a document that was changed on both sides.
public struct ConflictResolver: Sendable {
    /// What is to become of it.
    public enum Resolution: Sendable, Hashable {
        /// The local revision stands, and is pushed on top of the server's.
        case local
        /// The server's revision stands.
        case remote
        /// A document of these properties, a JSON object, takes the place of both. Attachments of both that it names in blobs are kept.
        case merged([UInt8])
        /// The document is deleted.
        case deleted

        /// ``merged(_:)`` of properties as a tree.
        public static func merged(_ properties: JSONValue) -> Resolution {
            var body: [UInt8] = []
            properties.append(to: &body)
            return .merged(body)
        }
    }

    let resolve: @Sendable (Conflict) async throws -> Resolution

    /// - Parameter resolve: Decides. A resolver that throws leaves the conflict as it is; the server's revision is asked for again when
    ///   the replication is started again.
    public init(_ resolve: @escaping @Sendable (Conflict) async throws -> Resolution) {
        self.resolve = resolve
    }

    /// Couchbase Lite's rule: a deletion wins; then the higher generation; then the higher revision ID
    /// (docs/protocol/modern-2x.md#default-resolver). Where both sides have versions, a deletion wins, and then the later one (the SDKs of
    /// Couchbase Lite 4.1: a deleted side is `nil` to the resolver).
    public static let `default` = ConflictResolver { conflict in
        if conflict.local.isDeleted != conflict.remote.isDeleted { return conflict.local.isDeleted ? .local : .remote }
        if let local = conflict.local.version, let remote = conflict.remote.version { return local.time > remote.time ? .local : .remote }
        return conflict.remote.revision < conflict.local.revision ? .local : .remote
    }

    /// What was changed here stands.
    public static let localWins = ConflictResolver { _ in .local }

    /// What was changed on the server stands.
    public static let remoteWins = ConflictResolver { _ in .remote }
}

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
