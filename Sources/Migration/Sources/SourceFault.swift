/// A document, or a revision of one, that cannot be read as it stands.
public struct SourceFault: Sendable, Equatable {
    /// The document's ID, or the nearest to it that can be told: `line 17`.
    public var id: String

    /// The revision, where only one is at fault.
    public var revision: String?

    /// What is wrong, where, and what to do.
    public var reason: String

    /// What the source has, as far as it was read and worth keeping.
    public var bytes: [UInt8]

    public init(id: String, revision: String? = nil, reason: String, bytes: [UInt8] = []) {
        self.id = id
        self.revision = revision
        self.reason = reason
        self.bytes = bytes
    }
}
