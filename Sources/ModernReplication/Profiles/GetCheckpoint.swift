import BLIP
import Gateway

/// `getCheckpoint` (docs/protocol/modern-2x.md#checkpoint-messages).
struct GetCheckpoint {
    /// The name of the checkpoint.
    let client: String

    init(_ request: BLIPMessage) throws(RequestError) {
        guard let client = request.properties["client"], !client.isEmpty else {
            throw RequestError(.badRequest, "getCheckpoint needs the property client")
        }
        self.client = client
    }

    static func reply(to number: UInt64, _ checkpoint: Checkpoint?) throws(RequestError) -> BLIPMessage {
        guard let checkpoint else { throw RequestError(.notFound, "missing") }
        return .reply(to: number, properties: ["rev": checkpoint.revision], body: checkpoint.body)
    }
}

extension ModernSession {
    func getCheckpoint(_ request: BLIPMessage) throws {
        let (handle, collection) = try collection(of: request)
        let keyspace = collection.keyspace
        keyspace.database.greet(ClientKind(generation: request.properties["collection"] == nil ? 2 : 3, agent: self.client.userAgent))
        let client = try GetCheckpoint(request).client
        collection.checkpoint = client
        answer(request) { session in
            let checkpoint = try await Checkpoint.read(client, from: keyspace)
            if checkpoint != nil { session.collections[handle]?.pull.hasCheckpoint = true }
            return try GetCheckpoint.reply(to: request.number, checkpoint)
        }
    }
}
