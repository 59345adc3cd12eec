public import Documents
import ModernProtocol
package import Scripting

/// Resolves a document that was changed on both sides.
public struct ConflictResolver: Sendable {
    /// The result of a resolver.
    public enum Resolution: Sendable, Hashable {
        /// The local revision wins, and is pushed as a child of the server's.
        case local
        /// The server's revision wins.
        case remote
        /// A document with these properties, a JSON object, replaces both. Attachments of both sides that its blobs refer to are retained.
        case merged([UInt8])
        /// The document is deleted.
        case deleted

        /// ``merged(_:)`` with properties as a tree.
        public static func merged(_ properties: JSONValue) -> Resolution {
            var body: [UInt8] = []
            properties.append(to: &body)
            return .merged(body)
        }
    }

    let resolve: @Sendable (Conflict) async throws -> Resolution

    /// Creates a resolver.
    ///
    /// - Parameter resolve: Returns the resolution. If it throws, the conflict remains unresolved; the next start of the replication
    ///   requests the server's revision again.
    public init(_ resolve: @escaping @Sendable (Conflict) async throws -> Resolution) {
        self.resolve = resolve
    }

    /// Couchbase Lite's rule: a deletion wins; then the higher generation; then the higher revision ID
    /// (docs/protocol/modern-2x.md#default-resolver). This is the default. If both sides have versions, a deletion wins, and then the later version (the SDKs of
    /// Couchbase Lite 4.1, where a deleted side is `nil` for the resolver).
    public static let `default` = ConflictResolver { conflict in
        if conflict.local.isDeleted != conflict.remote.isDeleted { return conflict.local.isDeleted ? .local : .remote }
        if let local = conflict.local.version, let remote = conflict.remote.version { return local.time > remote.time ? .local : .remote }
        return conflict.remote.revision < conflict.local.revision ? .local : .remote
    }

    /// The local revision wins.
    public static let localWins = ConflictResolver { _ in .local }

    /// The server's revision wins.
    public static let remoteWins = ConflictResolver { _ in .remote }
}

extension ConflictResolver {
    /// A resolver from a JavaScript function `function (conflict) { return conflict.localDocument; }`. The function returns the resulting
    /// document, which may be a new one, or null to delete the document. A side that is a tombstone is null.
    ///
    /// - Parameter owner: The function's owner: functions of two owners never share a context.
    package static func javaScript(_ source: String, owner: String, engine: ScriptEngine) -> ConflictResolver {
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
    /// The document in the form that functions receive; `nil` for a tombstone.
    fileprivate var document: [UInt8]? {
        guard !isDeleted else { return nil }
        guard let attachments else { return body }
        var member: [UInt8] = []
        JSONWriter.append(key: "_attachments", to: &member)
        member.append(contentsOf: attachments)
        return JSONObject.adding(member, to: body)
    }
}
