/// The credentials of a replicator: ``BasicAuthenticator``, ``SessionAuthenticator`` or ``ClientCertificateAuthenticator``.
public protocol Authenticator: Sendable {}

/// A user's name and password, sent with the request that opens the connection.
public struct BasicAuthenticator: Authenticator, Hashable, CustomStringConvertible, CustomReflectable {
    /// The user's name.
    public let username: String

    /// The user's password.
    public let password: String

    /// Creates an authenticator. The password is sent to the server, and nowhere else: use a `wss:` URL.
    public init(username: String, password: String) {
        self.username = username
        self.password = password
    }

    /// Contains the user's name and never the password, so that no log can show it.
    public var description: String { "BasicAuthenticator(username: \(username), password: hidden)" }

    /// Hides the password, so that dumps do not contain it.
    public var customMirror: Mirror { Mirror(self, children: ["username": username]) }
}

/// A session that was created at the server's `_session`, sent as a cookie.
public struct SessionAuthenticator: Authenticator, Hashable, CustomStringConvertible, CustomReflectable {
    /// The name of Sync Gateway's and the bridge's cookie, `SyncGatewaySession`.
    public static let defaultCookieName = "SyncGatewaySession"

    /// The session's ID: the cookie's value.
    public let sessionID: String

    /// The cookie's name.
    public let cookieName: String

    /// Creates an authenticator.
    public init(sessionID: String, cookieName: String = SessionAuthenticator.defaultCookieName) {
        self.sessionID = sessionID
        self.cookieName = cookieName
    }

    /// Contains the cookie's name and never the session ID, so that no log can show it.
    public var description: String { "SessionAuthenticator(cookieName: \(cookieName), sessionID: hidden)" }

    /// Hides the session ID, so that dumps do not contain it.
    public var customMirror: Mirror { Mirror(self, children: ["cookieName": cookieName]) }
}

/// A certificate that is sent to the server, over TLS.
public struct ClientCertificateAuthenticator: Authenticator, Hashable, CustomStringConvertible, CustomReflectable {
    /// The certificate with its chain to the authority, in PEM; or a single certificate in DER.
    public let certificateChain: [UInt8]

    /// The certificate's private key, in PEM.
    public let privateKey: [UInt8]

    /// Creates an authenticator. A certificate or key that cannot be read stops the replicator with the code `crypto`.
    public init(certificateChain: [UInt8], privateKey: [UInt8]) {
        self.certificateChain = certificateChain
        self.privateKey = privateKey
    }

    /// Never contains the key, so that no log can show it.
    public var description: String { "ClientCertificateAuthenticator(privateKey: hidden)" }

    /// Hides the key, so that dumps do not contain it.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
