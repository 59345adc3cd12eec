public import Access

/// How a replication says who it is.
public enum ReplicationCredentials: Hashable, Sendable {
    case basic(user: String, password: Secret)
    /// A session of the server's.
    case session(id: Secret, cookieName: String)
    /// A Facebook access token; 1.x.
    case facebook(token: Secret)
    /// A Persona assertion; 1.x.
    case persona(assertion: Secret)
    case cookie(RemoteCookie)
    /// A certificate and those that lead to its authority, in PEM or DER, and its key in PEM.
    case clientCertificate(chain: [UInt8], key: Secret)

    public static let defaultCookieName = "SyncGatewaySession"

    var isForModern: Bool {
        switch self {
        case .facebook, .persona: false
        case .basic, .session, .cookie, .clientCertificate: true
        }
    }
}
