/// What the configuration says of logins with client certificates.
public struct ClientCertificateConfiguration: Hashable, Sendable {
    /// Which field names the user.
    public enum Field: String, Hashable, Sendable, CaseIterable {
        /// The subject's common name.
        case commonName
        /// The alternative name that is an e-mail address.
        case email
        /// The alternative name that is a host's.
        case dns
        /// The alternative name that is a URI.
        case uri
    }

    public var field = Field.commonName

    /// What comes before the user's name in the field, and is taken off; a certificate without it is not a user's.
    public var prefix = ""

    /// What comes after the user's name in the field, likewise.
    public var suffix = ""

    /// Whether a new user is created at the first login.
    public var registers = false

    public init() {}
}
