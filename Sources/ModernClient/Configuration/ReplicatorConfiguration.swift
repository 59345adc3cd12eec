public import Gateway
public import HTTP
public import LocalStore

/// The collections, target and options of a ``Replicator``.
///
/// ```swift
/// var configuration = ReplicatorConfiguration(target: URLEndpoint(url: "wss://example.com:4984/shop"))
/// configuration.addCollection(orders)
/// configuration.continuous = true
/// let replicator = try Replicator(configuration: configuration)
/// await replicator.start()
/// ```
public struct ReplicatorConfiguration: Sendable {
    /// The endpoint to replicate with.
    public var target: any ReplicatorEndpoint

    /// Whether documents are sent, received, or both.
    public var replicatorType = ReplicatorType.pushAndPull

    /// Whether the replication continues after it has caught up.
    public var continuous = false

    /// The replicator's credentials.
    public var authenticator: (any Authenticator)?

    /// The only accepted server certificate, in PEM or DER; no other check applies then.
    public var pinnedServerCertificate: [UInt8]?

    /// Whether exactly the self-signed server certificates are accepted. Otherwise a certificate needs the signature of an authority that
    /// the system trusts.
    public var acceptOnlySelfSignedServerCertificate = false

    /// Additional headers of the request that opens the connection.
    public var headers: [String: String] = [:]

    /// The number of seconds without traffic before a WebSocket ping is sent; 0 for the default, 300.
    public var heartbeat = 0

    /// The maximum number of connection attempts, the first included; 0 for the default: 10 for one-shot replications, no limit for
    /// continuous ones; 1 for no retry. The count restarts after each replicated document.
    public var maxAttempts = 0

    /// The maximum number of seconds between two attempts; 0 for the default, 300.
    public var maxAttemptWaitTime = 0

    /// Whether a continuous replication retries after any refusal by the server, including a refused login, because it may be corrected on
    /// the server. LiteCore stops. Two attempts are at most one minute apart, unless ``maxAttemptWaitTime`` is set.
    public var goesOnAfterRefusals = false

    /// Whether local documents are purged when the user loses access to them.
    public var enableAutoPurge = true

    /// The network interface, by name or address, to connect from.
    public var networkInterface: String?

    /// The HTTP proxy for a ``URLEndpoint``; `nil` for a direct connection.
    public var proxy: OutboundProxy?

    /// Whether both sides may send deltas in place of whole revisions, if the server supports them. Not used between databases of one
    /// process.
    public var enableDeltaSync = true

    /// Whether version vectors are used with a server that supports them, such as Sync Gateway 4, as Couchbase Lite 4 does. Then 4.x
    /// clients of both sides have the same versions of documents. Otherwise tree IDs are used, unless the server supports version vectors
    /// only.
    public var prefersVersions = false

    /// The storage for revisions that one side refuses; `nil` if refusals are only reported.
    package var parking: Parking?

    /// Whether the replicator resumes from checkpoints. Otherwise it starts from the beginning and neither side saves its progress; this is
    /// meant for retries of a few documents.
    public var keepsCheckpoints = true

    /// The replicated collections, in their order in the request to the server.
    public internal(set) var collections: [ReplicatedCollection] = []

    /// Creates a configuration without collections: add at least one.
    public init(target: any ReplicatorEndpoint) {
        self.target = target
    }

    /// Adds a collection that has the same name on the server, or replaces its configuration.
    public mutating func addCollection(_ collection: LocalCollection, config: CollectionConfiguration = CollectionConfiguration()) {
        addCollection(collection.keyspace, config: config)
    }

    /// Adds a collection that has another name on the server, or replaces its configuration.
    public mutating func addCollection(
        _ collection: LocalCollection, as name: CollectionName, config: CollectionConfiguration = CollectionConfiguration()
    ) {
        addCollection(collection.keyspace, as: name, config: config)
    }

    /// Adds a collection, or replaces its configuration.
    package mutating func addCollection(_ keyspace: Keyspace, config: CollectionConfiguration = CollectionConfiguration()) {
        addCollection(keyspace, as: keyspace.collectionName, config: config)
    }

    /// Adds a collection that has another name on the server, or replaces its configuration.
    package mutating func addCollection(
        _ keyspace: Keyspace, as name: CollectionName, config: CollectionConfiguration = CollectionConfiguration()
    ) {
        removeCollection(name)
        collections.append(ReplicatedCollection(keyspace: keyspace, name: name, configuration: config))
    }

    /// Removes a collection, by its name on the server.
    public mutating func removeCollection(_ name: CollectionName) {
        collections.removeAll { $0.name == name }
    }

    /// Checks the constraints that the types do not express.
    ///
    /// - Throws: ``ReplicatorError`` with code `invalidParameter`.
    func validate() throws {
        for (name, value) in [("heartbeat", heartbeat), ("maxAttempts", maxAttempts), ("maxAttemptWaitTime", maxAttemptWaitTime)]
        where value < 0 {
            throw ReplicatorError(.invalidParameter, "\(name) is \(value); it cannot be negative")
        }
        guard !collections.isEmpty else {
            throw ReplicatorError(.invalidParameter, "There is nothing to replicate: add a collection to the configuration")
        }
    }

    var backoff: ReplicatorBackoff {
        let maxWait = maxAttemptWaitTime == 0 && isPersistent ? 60 : maxAttemptWaitTime
        return ReplicatorBackoff(isContinuous: continuous, maxAttempts: maxAttempts, maxWait: maxWait)
    }

    /// Whether no refusal by the server stops the replication.
    var isPersistent: Bool { continuous && goesOnAfterRefusals }

    var heartbeatInterval: Duration { .seconds(heartbeat == 0 ? 300 : heartbeat) }
}

extension ReplicatorConfiguration {
    /// The trust policy for the server of a TLS connection: combines ``pinnedServerCertificate`` and
    /// ``acceptOnlySelfSignedServerCertificate``.
    public var serverCertificatePolicy: ServerCertificatePolicy {
        get {
            if let pinnedServerCertificate { return .pinned(pinnedServerCertificate) }
            return acceptOnlySelfSignedServerCertificate ? .selfSignedOnly : .system
        }
        set {
            pinnedServerCertificate = if case .pinned(let certificate) = newValue { certificate } else { nil }
            acceptOnlySelfSignedServerCertificate = newValue == .selfSignedOnly
        }
    }

    /// The configuration of one collection.
    public struct CollectionConfiguration: Sendable {
        /// Pulls only documents of these channels; if empty, all documents that the user can access. Sync Gateway only.
        public var channels: [String] = []

        /// Replicates only these documents; all if empty.
        public var documentIDs: [String] = []

        /// Selects the local documents to push.
        public var pushFilter: ReplicationFilter?

        /// Selects the server's documents to store. It also receives documents to which access was lost, and may retain their local copies.
        public var pullFilter: ReplicationFilter?

        /// Resolves documents that were changed on both sides.
        public var conflictResolver = ConflictResolver.default

        /// Creates the default configuration: all documents in both directions, and Couchbase Lite's rule for conflicts.
        public init() {}
    }
}

/// One collection of a replication.
public struct ReplicatedCollection: Sendable {
    /// The local keyspace.
    package let keyspace: Keyspace

    /// The local collection.
    public var collection: LocalCollection { LocalCollection(keyspace) }

    /// The collection's name on the server.
    public let name: CollectionName

    /// The filters, channels and conflict resolver of the collection.
    public let configuration: ReplicatorConfiguration.CollectionConfiguration
}

/// The direction of a replication.
public enum ReplicatorType: String, Sendable, CaseIterable {
    /// In both directions.
    case pushAndPull = "push-and-pull"
    /// From here to the server.
    case push
    /// From the server to here.
    case pull

    var pushes: Bool { self != .pull }
    var pulls: Bool { self != .push }
}

/// The trust policy for the server of a TLS connection.
public enum ServerCertificatePolicy: Sendable, Hashable {
    /// A server with a certificate for its name, signed by an authority that the system trusts.
    case system
    /// Any server with a self-signed certificate, and no other, as between peers.
    case selfSignedOnly
    /// The server with exactly this certificate, in PEM or DER; no other check applies.
    case pinned([UInt8])
}
