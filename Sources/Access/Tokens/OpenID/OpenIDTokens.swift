/// What a provider gave for a code or a refresh token, and who it is for.
public struct OpenIDTokens: Sendable {
    public let identity: VerifiedIdentity
    public let idToken: Secret
    public let refreshToken: Secret?

    /// The provider's own, if the configuration says that clients get it.
    public let accessToken: Secret?
    public let tokenType: String?

    /// How long the access token lasts, in seconds.
    public let expiresIn: Int?
}
