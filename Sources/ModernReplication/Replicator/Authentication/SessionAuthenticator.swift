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
