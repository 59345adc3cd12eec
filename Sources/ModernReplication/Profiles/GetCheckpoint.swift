import BLIP

/// `getCheckpoint` (protocol reference 4.3).
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
        let keyspace = try collection(of: request).1.keyspace
        let client = try GetCheckpoint(request).client
        answer(request) { _ in
            try GetCheckpoint.reply(to: request.number, try await Checkpoint.read(client, from: keyspace))
        }
    }
}
