/// How a replicator says who it is: ``BasicAuthenticator``, ``SessionAuthenticator`` or ``ClientCertificateAuthenticator``.
public protocol Authenticator: Sendable {}

/// A user's name and password, sent with the request that opens the connection.
public struct BasicAuthenticator: Authenticator, Hashable, CustomStringConvertible, CustomReflectable {
    public let username: String
    public let password: String

    public init(username: String, password: String) {
        self.username = username
        self.password = password
    }

    /// Names the user and never the password, so that no log can show it.
    public var description: String { "BasicAuthenticator(username: \(username), password: hidden)" }

    public var customMirror: Mirror { Mirror(self, children: ["username": username]) }
}

/// A session that was created at the server's `_session`, sent as a cookie.
public struct SessionAuthenticator: Authenticator, Hashable, CustomStringConvertible, CustomReflectable {
    public static let defaultCookieName = "SyncGatewaySession"

    public let sessionID: String
    public let cookieName: String

    public init(sessionID: String, cookieName: String = SessionAuthenticator.defaultCookieName) {
        self.sessionID = sessionID
        self.cookieName = cookieName
    }

    /// Names the cookie and never the session, so that no log can show it.
    public var description: String { "SessionAuthenticator(cookieName: \(cookieName), sessionID: hidden)" }

    public var customMirror: Mirror { Mirror(self, children: ["cookieName": cookieName]) }
}

/// A certificate that is shown to the server, over TLS.
public struct ClientCertificateAuthenticator: Authenticator, Hashable, CustomStringConvertible, CustomReflectable {
    /// The certificate and those that lead to its authority, in PEM; or one in DER.
    public let certificateChain: [UInt8]

    /// Its key, in PEM.
    public let privateKey: [UInt8]

    public init(certificateChain: [UInt8], privateKey: [UInt8]) {
        self.certificateChain = certificateChain
        self.privateKey = privateKey
    }

    /// Never shows the key, so that no log can.
    public var description: String { "ClientCertificateAuthenticator(privateKey: hidden)" }

    public var customMirror: Mirror { Mirror(self, children: []) }
}
