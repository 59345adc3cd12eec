import BLIP
import Documents
import Gateway
import Storage

/// `setCheckpoint` (docs/protocol/modern-2x.md#checkpoint-messages).
struct SetCheckpoint {
    /// The name of the checkpoint.
    let client: String

    /// The revision that the client knows; LiteCore says that it knows none by an empty one.
    let revision: String?

    /// Kept byte for byte.
    let body: [UInt8]

    init(_ request: BLIPMessage, limits: SessionLimits) throws {
        guard let client = request.properties["client"], !client.isEmpty else {
            throw RequestError(.badRequest, "setCheckpoint needs the property client")
        }
        guard client.utf8.count <= DocumentID.maximumLength else {
            throw RequestError(
                .badRequest, "setCheckpoint: client has \(client.utf8.count) bytes; at most \(DocumentID.maximumLength) are allowed")
        }
        guard request.body.count <= limits.checkpointSize else {
            throw RequestError(.tooLarge, "The checkpoint has \(request.body.count) bytes; at most \(limits.checkpointSize) are allowed")
        }
        do {
            try JSONReader.read(request.body) { try $0.object { _, _ in } }
        } catch {
            throw RequestError(.badRequest, "The checkpoint is not a JSON object: \(error)")
        }
        self.client = client
        revision = request.properties["rev"].flatMap { $0.isEmpty ? nil : $0 }
        body = request.body
    }
}

extension ModernSession {
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
