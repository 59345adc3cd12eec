/// A document, or a revision of one, that cannot be read as it stands.
public struct SourceFault: Sendable, Equatable {
    /// The document's ID, or the nearest to it that can be told: `line 17`.
    public var id: String

    /// The revision, where only one is at fault.
    public var revision: String?

    /// Where it stands in a source in which several may have one ID: `byte 1804137`; empty elsewhere.
    public var place: String

    /// What is wrong, where, and what to do.
    public var reason: String

    /// What the source has, as far as it was read and worth keeping.
    public var bytes: [UInt8]

    /// How many bytes the source has of it: more than are here where it is very large.
    public var length: Int

    /// Whether all that is wrong is that the login may not see it.
    public var isUnseen: Bool

    /// - Parameter length: `nil` if all bytes are here.
    public init(
        id: String, revision: String? = nil, place: String = "", reason: String, bytes: [UInt8] = [], length: Int? = nil,
        isUnseen: Bool = false
    ) {
        self.id = id
        self.revision = revision
        self.place = place
        self.reason = reason
        self.bytes = bytes
        self.length = length ?? bytes.count
        self.isUnseen = isUnseen
    }
}
