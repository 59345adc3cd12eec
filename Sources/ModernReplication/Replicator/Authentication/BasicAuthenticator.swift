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
