import BLIP
import Gateway

extension ModernSession {
    /// `proveAttachment` from a client that was sent a revision and has the attachment already: another gateway
    /// (docs/protocol/modern-2x.md#proveattachment).
    func proveAttachment(_ request: BLIPMessage) throws {
        let (wanted, keyspace) = try permittedAttachment(request)
        let proof = try AttachmentProof(nonce: request.body)
        answer(request) { _ in
            .reply(to: wanted.number, body: Array(try await proof.answer(for: wanted.reader(in: keyspace)).utf8))
        }
    }
}
