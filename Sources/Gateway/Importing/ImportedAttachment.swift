public import Documents

/// The bytes of an attachment that is small enough to be written in the transaction of the documents that name it.
public struct ImportedAttachment: Sendable {
    /// The SHA-1 of the bytes.
    public let digest: AttachmentDigest

    /// The digest by which documents name it, where that is another one.
    public let alias: AttachmentDigest?
    public let bytes: [UInt8]

    public init(digest: AttachmentDigest, alias: AttachmentDigest?, bytes: [UInt8]) {
        self.digest = digest
        self.alias = alias
        self.bytes = bytes
    }
}
