import Documents
import Gateway
import Storage

/// Proves the possession of an attachment's bytes without sending them: a digest over a nonce and the bytes
/// (docs/protocol/modern-2x.md#proveattachment).
package struct AttachmentProof: Sendable {
    package let nonce: [UInt8]

    /// Creates a proof for a peer's nonce.
    ///
    /// - Throws: `badRequest` unless it has 1 to 255 bytes.
    package init(nonce: [UInt8]) throws(BLIPRequestError) {
        guard 1...255 ~= nonce.count else {
            throw BLIPRequestError(.badRequest, "proveAttachment needs a nonce of 1 to 255 bytes in its body")
        }
        self.nonce = nonce
    }

    /// Creates a proof with an unpredictable nonce.
    package init() {
        var generator = SystemRandomNumberGenerator()
        nonce = (0..<20).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    /// The expected reply of a peer that has the bytes.
    package func answer(for attachment: sending AttachmentReader) async throws -> String {
        var attachment = attachment
        var hasher = AttachmentHasher(.sha1)
        hasher.update([UInt8(nonce.count)])
        hasher.update(nonce)
        while let bytes = try await attachment.next() { hasher.update(bytes) }
        return hasher.finish().description
    }
}
