package import Documents

/// The body of one revision: the application's unchanged properties, and the metadata of its attachments.
package struct StoredBody: Hashable, Sendable {
    /// A JSON object without any of the protocol's own members.
    package var properties: [UInt8]

    /// The JSON object of the `_attachments` member, each entry a stub; `nil` if there are none.
    package var attachments: [UInt8]?

    package init(properties: [UInt8], attachments: [UInt8]? = nil) {
        self.properties = properties
        self.attachments = attachments
    }

    /// The size of the properties and the attachments' metadata, in bytes.
    package var size: Int { properties.count + (attachments?.count ?? 0) }
}

/// A stored attachment. Attachments with the same SHA-1 digest are stored once.
package struct AttachmentRecord: Hashable, Sendable {
    /// The size of each part of an attachment that is written in parts, in bytes. The last part may be shorter.
    package static let partSize = 128 << 10

    package let key: Int64
    package let digest: AttachmentDigest
    package let length: Int64

    package init(key: Int64, digest: AttachmentDigest, length: Int64) {
        self.key = key
        self.digest = digest
        self.length = length
    }
}
