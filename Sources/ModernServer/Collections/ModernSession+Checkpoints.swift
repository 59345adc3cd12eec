import BLIP
import Gateway
import ModernProtocol
import Storage

extension ModernSession {
    func getCheckpoint(_ request: BLIPMessage) throws {
        let (handle, collection) = try collection(of: request)
        let keyspace = collection.keyspace
        keyspace.database.logFirstClient(
            ClientKind(generation: request.properties["collection"] == nil ? 2 : 3, agent: self.client.userAgent))
        let client = try GetCheckpoint(request).client
        collection.checkpoint = client
        answer(request) { session in
            let checkpoint = try await Checkpoint.read(client, from: keyspace)
            if checkpoint != nil { session.collections[handle]?.pull.hasCheckpoint = true }
            return try GetCheckpoint.reply(to: request.number, checkpoint)
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

    static func read(_ id: String, from keyspace: Keyspace) async throws -> Checkpoint? {
        try await keyspace.localDocument(.checkpoint, id: id).map { Checkpoint(revision: "0-\($0.revision)", body: $0.body) }
    }
}
