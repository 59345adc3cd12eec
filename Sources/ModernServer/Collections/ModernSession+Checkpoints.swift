import BLIP
package import Gateway
import ModernProtocol
package import Storage

extension ModernSession {
    func getCheckpoint(_ request: BLIPMessage) throws {
        let (handle, collection) = try collection(of: request)
        let keyspace = collection.keyspace
        keyspace.database.logFirstClient(
            ClientKind(generation: request.properties["collection"] == nil ? 2 : 3, agent: self.client.userAgent))
        let client = try GetCheckpoint(request).client
        collection.checkpoint = client
        answer(request) { session in
            let stored = try await keyspace.localDocument(.checkpoint, id: client)
            let checkpoint = try await session.origin?.checkpoint(client, in: keyspace, replacing: stored) ?? stored
            if checkpoint != nil { session.collections[handle]?.pull.hasCheckpoint = true }
            return try GetCheckpoint.reply(to: request.number, checkpoint.map { Checkpoint($0) })
        }
    }

    func setCheckpoint(_ request: BLIPMessage) throws {
        let keyspace = try collection(of: request).1.keyspace
        let checkpoint = try SetCheckpoint(request, limits: limits)
        let client = ClientKind(generation: request.properties["collection"] == nil ? 2 : 3, agent: self.client.userAgent)
        answer(request) { _ in
            let revision = try await keyspace.setLocalDocument(
                .checkpoint, id: checkpoint.client, body: checkpoint.body, expected: checkpoint.revision, by: client)
            return .reply(to: request.number, properties: ["rev": revision])
        }
    }
}

extension GetCheckpoint {
    static func reply(to number: UInt64, _ checkpoint: Checkpoint?) throws(BLIPRequestError) -> BLIPMessage {
        guard let checkpoint else { throw BLIPRequestError(.notFound, "missing") }
        return .reply(to: number, properties: ["rev": checkpoint.revision], body: checkpoint.body)
    }
}

/// A client's checkpoint. The server does not interpret its body.
struct Checkpoint: Sendable {
    /// `0-n`, as in Sync Gateway.
    let revision: String
    let body: [UInt8]

    init(_ document: LocalDocument) {
        revision = "0-\(document.revision)"
        body = document.body
    }

    static func read(_ id: String, from keyspace: Keyspace) async throws -> Checkpoint? {
        try await keyspace.localDocument(.checkpoint, id: id).map { Checkpoint($0) }
    }
}

/// The server from which clients were repointed, and which may have their checkpoints.
package protocol CheckpointOrigin: Sendable {
    /// The client's effective checkpoint: the local one, or that of the other server if the client has replicated there since.
    ///
    /// - Parameters:
    ///   - keyspace: The default collection of a client that names no collections.
    ///   - stored: The local checkpoint.
    func checkpoint(_ id: String, in keyspace: Keyspace, replacing stored: LocalDocument?) async throws -> LocalDocument?
}
