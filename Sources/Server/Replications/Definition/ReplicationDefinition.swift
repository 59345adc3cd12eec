public import Access

/// One replication as `replications:`, the admin port or `dualgauge replicate` describes it.
public struct ReplicationDefinition: Hashable, Sendable {
    /// Bytes of a replication's name, as in Sync Gateway.
    static let maximumNameLength = 160

    public var target: ReplicationTarget
    public var direction = ReplicationDirection.pushAndPull

    /// Whether it goes on when it has caught up.
    public var continuous = false

    /// Only documents of these channels are pulled; all that the user may see if empty.
    public var channels: [String] = []
    public var filter: ReplicationFilterChoice?

    /// Only these documents are replicated; all if empty.
    public var documentIDs: [String] = []

    /// What is replicated; if empty, everything that legacy clients see, which to a 2.x+ server is its default collection.
    public var collections: [ReplicatedName] = []
    public var credentials: ReplicationCredentials?
    public var headers: [String: Secret] = [:]

    /// Seconds of silence after which the other side is asked for a sign of life; 0 for the default.
    public var heartbeat = 0

    /// How many times in all a connection is tried; 0 for the default, 10 for one-shot and no end for continuous replications.
    public var maxAttempts = 0

    /// The most seconds between two attempts; 0 for the default, 300.
    public var maxAttemptWait = 0

    /// The server has to have exactly this certificate, in PEM or DER, whoever signed it: ``selfSignedOnly`` says no more then.
    public var pinnedCertificate: [UInt8]?

    /// The server has to have signed its certificate itself.
    public var selfSignedOnly = false
    public var resolver = ReplicationResolver.default

    /// Whether documents are purged here to which the user has lost access.
    public var purgesOnRemoval = true

    /// Whether revisions may go and come as deltas, where the other side has delta sync, too; by `nil` they may if it is a 2.x+ server.
    public var usesDeltas: Bool?

    /// Whether a 2.x+ server that knows versions, such as Sync Gateway 4, is spoken to in them; by `nil` only one that knows nothing else.
    public var prefersVersions: Bool?

    /// The HTTP proxy through which the server is reached; `nil` for the straight way.
    public var proxy: ReplicationProxy?

    /// Whether a push to a 1.x server makes the database there if it is not there.
    public var createsTarget = false

    /// The network interface, by name or address, to connect from; `nil` for whichever leads there.
    public var networkInterface: String?

    /// The most documents a second that are pulled from a 2.x+ server; `nil` for no limit.
    public var pullRate: Int?

    public init(target: ReplicationTarget) {
        self.target = target
    }

    /// The name of the login, where it has one.
    var login: String? {
        if case .basic(let user, _) = credentials { return user }
        if case .server(let address) = target { return address.credentials?.user }
        return nil
    }

    /// Checks what goes together.
    ///
    /// - Throws: ``ReplicationSetupError``.
    public func validate() throws(ReplicationSetupError) {
        if let credentials, !target.isLegacy, !credentials.isForModern {
            throw combination(
                "a 2.x+ server takes no Facebook tokens and Persona assertions; use `basic`, `session`, `cookie` or `clientCertificate`")
        }
        if case .server(let address) = target, address.credentials != nil, credentials != nil {
            throw combination("credentials stand in the remote's URL and beside it; give them in one place")
        }
        if !target.isLegacy, case .named(let name) = filter?.function {
            throw combination(
                "2.x+ servers have no filters by name, such as `\(name)`; use channels, or a JavaScript function that is called here")
        }
        if createsTarget, !target.isLegacy || direction == .pull {
            throw combination("only a push to a 1.x server can make the database there; leave `createTarget` away")
        }
        if target.isLegacy {
            guard collections.count <= 1 else {
                throw combination("a 1.x server has no collections; replicate one, or the whole database")
            }
            guard resolver == .default else {
                throw combination("with a 1.x server both revisions of a conflict are kept as branches; it has no resolver")
            }
            guard usesDeltas != true else { throw combination("1.x servers take no deltas; delta sync is of 2.x+") }
            guard prefersVersions != true else { throw combination("1.x servers know no versions; `versions` is of 2.x+") }
            guard networkInterface == nil else {
                throw combination("the network interface to a 1.x server is the system's choice; `networkInterface` is of 2.x+")
            }
            switch (filter?.function, direction) {
            case (.named(let name), .push):
                throw combination("a push has no filter `\(name)` of the server's; use a JavaScript function that is called here")
            case (.javaScript, .pull):
                throw combination("a pull from a 1.x server is filtered there; name a filter such as `app/byYear`")
            default: break
            }
        }
        if Set(collections.map(\.local)).count < collections.count || Set(collections.map(\.remote)).count < collections.count {
            throw combination("a collection stands twice among those to replicate")
        }
    }

    private func combination(_ message: String) -> ReplicationSetupError { ReplicationSetupError(.combination, message) }
}
