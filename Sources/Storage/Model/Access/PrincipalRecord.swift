/// A user or a role as the store knows it.
public struct PrincipalRecord: Hashable, Sendable {
    public let grantee: Grantee
    public var email: String?

    /// With which change it was last written.
    public var sequence: Sequence

    /// What the store does not look into: a JSON object.
    public var record: [UInt8]

    public init(grantee: Grantee, email: String? = nil, sequence: Sequence, record: [UInt8]) {
        self.grantee = grantee
        self.email = email
        self.sequence = sequence
        self.record = record
    }
}
