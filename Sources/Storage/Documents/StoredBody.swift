public import Documents

/// The body of one revision: the application's unchanged properties, and the metadata of its attachments.
public struct StoredBody: Hashable, Sendable {
    /// A JSON object without any of the protocol's own members.
    public var properties: [UInt8]

    /// The JSON object of the `_attachments` member, each entry a stub; `nil` if there are none.
    public var attachments: [UInt8]?

    public init(properties: [UInt8], attachments: [UInt8]? = nil) {
        self.properties = properties
        self.attachments = attachments
    }
}

/// A stored attachment. Attachments with the same SHA-1 digest are stored once.
public struct AttachmentRecord: Hashable, Sendable {
    /// The size of each part of an attachment that is written in parts, in bytes. The last part may be shorter.
    public static let partSize = 128 << 10

    public let key: Int64
    public let digest: AttachmentDigest
    public let length: Int64

    public init(key: Int64, digest: AttachmentDigest, length: Int64) {
        self.key = key
        self.digest = digest
        self.length = length
    }
}
