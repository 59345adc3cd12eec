import Documents
import Gateway
import Storage

/// Shows that somebody has an attachment's bytes without sending them: a digest over a nonce and the bytes (protocol reference 6.5).
struct AttachmentProof: Sendable {
    /// How many bytes are read from the store at a time.
    private static let partSize = 128 << 10

    let nonce: [UInt8]

    /// Takes a peer's nonce.
    ///
    /// - Throws: `badRequest` unless it has 1 to 255 bytes.
    init(nonce: [UInt8]) throws(RequestError) {
        guard 1...255 ~= nonce.count else {
            throw RequestError(.badRequest, "proveAttachment needs a nonce of 1 to 255 bytes in its body")
        }
        self.nonce = nonce
    }

    /// Takes a nonce that nobody can have foreseen.
    init() {
        var generator = SystemRandomNumberGenerator()
        nonce = (0..<20).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    /// What a peer that has the bytes answers.
    func answer(for attachment: AttachmentRecord, in keyspace: Keyspace) async throws -> String {
        var hasher = AttachmentHasher(.sha1)
        hasher.update([UInt8(nonce.count)])
        hasher.update(nonce)
        var offset: Int64 = 0
        while offset < attachment.length {
            let bytes = try await keyspace.bytes(of: attachment, from: offset, count: Self.partSize)
            guard !bytes.isEmpty else { throw AttachmentProof.cutShort(attachment) }
            hasher.update(bytes)
            offset += Int64(bytes.count)
        }
        return hasher.finish().description
    }

    /// The store has fewer bytes than it says.
    static func cutShort(_ attachment: AttachmentRecord) -> RequestError {
        RequestError(.unavailable, "The attachment \(attachment.digest) is cut short in the store; run `dualgauge check`")
    }
}
