/// What an OpenID Connect login leaves behind, by which the next one needs no user. Secrets: nobody else may read them.
public struct OpenIDConnectTokens: Sendable, Hashable {
    /// Good for the provider's time, minutes to hours.
    public var idToken: String?

    /// Good until the provider or the user takes it back; `nil` if the provider gave none.
    public var refreshToken: String?

    public init(idToken: String? = nil, refreshToken: String? = nil) {
        self.idToken = idToken
        self.refreshToken = refreshToken
    }
}

extension OpenIDConnectTokens: CustomStringConvertible, CustomReflectable {
    /// Shows no secret, so that no log can.
    public var description: String { "OpenIDConnectTokens" }

    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
