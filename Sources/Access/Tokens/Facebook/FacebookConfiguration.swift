/// What the configuration says of Facebook logins.
public struct FacebookConfiguration: Hashable, Sendable {
    /// Whose tokens are taken.
    public enum Apps: Hashable, Sendable {
        /// Those issued to one of these apps.
        case only(Set<String>)
        /// Those of every app in the world, as Sync Gateway does. Whoever runs any app that our users log in to can then come in as them.
        case any
    }

    public var apps: Apps

    /// The Graph API; a version may stand in its path.
    public var graph: VerificationEndpoint

    /// Proves to Graph that a call comes from the app's own server (`appsecret_proof`), where the app demands it.
    public var appSecret: Secret?

    /// Whether a new user is created at the first login.
    public var registers = false

    /// Whether an existing user with the profile's address is taken where none is named by the Facebook ID. Graph does not say whether the address was
    /// confirmed, so the operator has to decide to believe it.
    public var matchesEmail = false

    public init(apps: Apps, graph: VerificationEndpoint) {
        self.apps = apps
        self.graph = graph
    }
}
