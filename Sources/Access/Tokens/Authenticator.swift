/// Who can vouch for a user besides the database itself.
public enum Authenticator: String, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    case facebook
    case persona
    case google
    /// OpenID Connect.
    case oidc
    /// A certificate that the client showed in the TLS handshake.
    case clientCertificate
    /// The server that the fleet comes from.
    case upstream

    public var description: String { rawValue }
}
