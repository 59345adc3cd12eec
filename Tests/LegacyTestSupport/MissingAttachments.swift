package import Documents
import Gateway
import Storage
import Testing

/// A document whose attachments are not all in the store, as old data has them.
package enum MissingAttachments {
    /// The digest of the attachment whose bytes are missing. They are `[9]`.
    package static let digest = AttachmentDigest.sha1(of: [9])

    /// A document of generation 2 with an attachment that is there, one that is missing, and one that has no digest.
    package static func write(to bridge: Bridge) async throws {
        let set = AttachmentSet([
            AttachmentMetadata(name: "here", digest: .sha1(of: [1]), length: 1, revpos: 1),
            AttachmentMetadata(name: "gone", digest: digest, length: 1, revpos: 1),
            AttachmentMetadata(name: "nameless", length: 1, revpos: 1),
        ])
        let history = try ["2-bb", "1-aa"].map { try #require(RevisionID($0)) }
        var write = RevisionWrite(
            id: "d", kind: .replicated(history: history, conflicts: .branch), isDeleted: false, body: Array("{}".utf8), attachments: set,
            attachmentBytes: [.sha1(of: [1]): [1]])
        write.keepsMissingAttachments = true
        _ = try await bridge.database.unified.write(write)
    }
}
