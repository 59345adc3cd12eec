public import Gateway
public import HTTP

/// What a ``Replicator`` replicates, where to, and how.
///
/// ```swift
/// var configuration = ReplicatorConfiguration(target: URLEndpoint(url: "wss://example.com:4984/shop"))
/// configuration.addCollection(orders)
/// configuration.continuous = true
/// let replicator = try Replicator(configuration: configuration)
/// await replicator.start()
/// ```
public struct ReplicatorConfiguration: Sendable {
    /// The other side.
    public var target: any ReplicatorEndpoint

    public var replicatorType = ReplicatorType.pushAndPull

    /// Whether the replication goes on when it has caught up.
    public var continuous = false

    /// How the replicator says who it is.
    public var authenticator: (any Authenticator)?

    /// The server has to have exactly this certificate, in PEM or DER; nothing else matters then.
    public var pinnedServerCertificate: [UInt8]?

    /// Whether the server has to have signed its certificate itself; any such one is accepted, and no other. Otherwise an authority that the
    /// system knows has to have signed it.
    public var acceptOnlySelfSignedServerCertificate = false

    /// Further headers of the request that opens the connection.
    public var headers: [String: String] = [:]

    /// Seconds of silence after which the other side is asked for a sign of life; 0 for the default, 300.
    public var heartbeat = 0

    /// How many times in all a connection is tried before giving up; 0 for the default, 10 for one-shot and no end for continuous
    /// replications; 1 for no retry. The count begins anew when something was replicated.
    public var maxAttempts = 0

    /// The most seconds between two attempts; 0 for the default, 300.
    public var maxAttemptWaitTime = 0

    /// Whether a continuous replication goes on trying whatever the server refuses, its login included. LiteCore stops it. Somebody may mend that on
    /// the other side. Between two attempts there is a minute at most, unless ``maxAttemptWaitTime`` says otherwise.
    public var goesOnAfterRefusals = false

    /// Whether documents are purged here to which the user loses access.
    public var enableAutoPurge = true

    /// The network interface, by name or address, to connect from.
    public var networkInterface: String?

    /// The HTTP proxy through which a ``URLEndpoint`` is reached; `nil` for the straight way.
    public var proxy: OutboundProxy?

    /// Whether both sides may send the difference of two revisions in place of the second one, where the other side does it, too. Never done
    /// between databases of one process.
    public var enableDeltaSync = true

    /// Whether a server that knows versions, such as Sync Gateway 4, is spoken to in them, as Couchbase Lite 4 does. Then 4.x clients of both sides know
    /// documents by the same versions. Otherwise it is spoken to in IDs of revision trees, unless it knows nothing but versions.
    public var prefersVersions = false

    /// Where revisions are put that one side refuses; `nil` if they are told and no more.
    public var parking: Parking?

    /// Whether the replicator goes on where it stopped. Otherwise it begins at the start, and nothing is kept on either side: for a few
    /// documents that are tried once more.
    public var keepsCheckpoints = true

    /// What is replicated, in the order in which the server is told.
    public internal(set) var collections: [ReplicatedCollection] = []

    public init(target: any ReplicatorEndpoint) {
        self.target = target
    }

    /// Adds a collection, or changes how it is replicated.
    public mutating func addCollection(_ keyspace: Keyspace, config: CollectionConfiguration = CollectionConfiguration()) {
        addCollection(keyspace, as: keyspace.collectionName, config: config)
    }

    /// Adds a collection that has another name on the other side, or changes how it is replicated.
    public mutating func addCollection(
        _ keyspace: Keyspace, as name: CollectionName, config: CollectionConfiguration = CollectionConfiguration()
    ) {
        removeCollection(name)
        collections.append(ReplicatedCollection(keyspace: keyspace, name: name, configuration: config))
    }

    public mutating func removeCollection(_ name: CollectionName) {
        collections.removeAll { $0.name == name }
    }

    /// Checks what the types let pass.
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

    /// Whether nothing that the server says stops the replication.
    var isPersistent: Bool { continuous && goesOnAfterRefusals }

    var heartbeatInterval: Duration { .seconds(heartbeat == 0 ? 300 : heartbeat) }
}

extension ReplicatorConfiguration {
    /// Which server is trusted, where the connection uses TLS: ``pinnedServerCertificate`` and
    /// ``acceptOnlySelfSignedServerCertificate`` in one word.
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

    /// How one collection is replicated.
    public struct CollectionConfiguration: Sendable {
        /// Only documents of these channels are pulled; all that the user may see if empty. Sync Gateway only.
        public var channels: [String] = []

        /// Only these documents are replicated; all if empty.
        public var documentIDs: [String] = []

        /// Which local documents are pushed.
        public var pushFilter: ReplicationFilter?

        /// Which documents of the server are taken. It also sees, and may keep here, those to which access was lost.
        public var pullFilter: ReplicationFilter?

        /// What becomes of a document that was changed on both sides.
        public var conflictResolver = ConflictResolver.default

        public init() {}
    }
}

/// One collection of a replication.
public struct ReplicatedCollection: Sendable {
    /// What is replicated here.
    public let keyspace: Keyspace

    /// What the other side calls it.
    public let name: CollectionName
    public let configuration: ReplicatorConfiguration.CollectionConfiguration
}

/// Which way documents go.
public enum ReplicatorType: String, Sendable, CaseIterable {
    case pushAndPull = "push-and-pull"
    case push
    case pull

    var pushes: Bool { self != .pull }
    var pulls: Bool { self != .push }
}

/// Which server is trusted, where the connection uses TLS.
public enum ServerCertificatePolicy: Sendable, Hashable {
    /// One whose certificate an authority known to the system has signed for its name.
    case system
    /// Any that has signed its certificate itself, and no other, as between peers.
    case selfSignedOnly
    /// The one with exactly this certificate, in PEM or DER; nothing else matters.
    case pinned([UInt8])
}
