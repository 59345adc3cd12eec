/// The bytes of one revision: what the application wrote, untouched, and the metadata of its attachments.
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
