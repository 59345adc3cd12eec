/// How a login at a provider begins.
public struct OpenIDChallenge: Hashable, Sendable {
    /// Where the user's browser has to go.
    public let loginURL: String

    /// What the client has to come back with, in a cookie; `nil` where that is not checked.
    public let state: String?
}
