package import Access
package import Documents
package import Gateway

/// A replication, defined by `replications:`, the admin port or `dualgauge replicate`.
package struct ReplicationDefinition: Hashable, Sendable {
    /// The longest name of a replication in bytes, as in Sync Gateway.
    package static let maximumNameLength = 160

    package var target: ReplicationTarget
    package var direction = DefinedDirection.pushAndPull

    /// Whether the replication continues after it has caught up.
    package var continuous = false

    /// The channels to pull; if empty, all channels that the user has access to.
    package var channels: [String] = []
    package var filter: ReplicationFilterChoice?

    /// The documents to replicate; all if empty.
    package var documentIDs: [String] = []

    /// The collections to replicate. If empty: all collections that are visible to legacy clients; with a 2.x+ server they map to its default
    /// collection.
    package var collections: [ReplicatedName] = []
    package var credentials: ReplicationCredentials?
    package var headers: [String: Secret] = [:]

    /// Seconds without traffic after which a heartbeat tests the connection; 0 for the default.
    package var heartbeat = 0

    /// The total number of connection attempts; 0 for the default: 10 for one-shot replications, no limit for continuous ones.
    package var maxAttempts = 0

    /// The longest delay between two attempts, in seconds; 0 for the default, 300.
    package var maxAttemptWait = 0

    /// The certificate that the server has to present, in PEM or DER, with any issuer; it makes ``selfSignedOnly`` irrelevant.
    package var pinnedCertificate: [UInt8]?

    /// Whether the server's certificate has to be self-signed.
    package var selfSignedOnly = false
    package var resolver = ReplicationResolver.default

    /// Whether documents to which the user has lost access are purged locally.
    package var purgesOnRemoval = true

    /// Whether revisions may be sent as deltas in both directions if the other side supports delta sync; `nil` allows them for 2.x+ servers only.
    package var usesDeltas: Bool?

    /// Whether to use version vectors with a 2.x+ server that supports them, such as Sync Gateway 4; `nil` uses them only if the server supports
    /// nothing else.
    package var prefersVersions: Bool?

    /// The HTTP proxy to the server; `nil` for a direct connection.
    package var proxy: ReplicationProxy?

    /// Whether a push creates a missing database on a 1.x server.
    package var createsTarget = false

    /// The network interface, by name or address, to connect from; `nil` to let the system choose.
    package var networkInterface: String?

    /// The most documents a second to pull from a 2.x+ server; `nil` for no limit.
    package var pullRate: Int?

    package init(target: ReplicationTarget) {
        self.target = target
    }

    /// The user name of the credentials, if they have one.
    package var login: String? {
        if case .basic(let user, _) = credentials { return user }
        if case .server(let address) = target { return address.credentials?.user }
        return nil
    }

    /// Checks the combination of settings.
    ///
    /// - Throws: ``ReplicationSetupError``.
    package func validate() throws(ReplicationSetupError) {
        if let credentials, !target.isLegacy, !credentials.isForModern {
            throw combination(
                "a 2.x+ server accepts neither Facebook tokens nor Persona assertions; use `basic`, `session`, `cookie` or `clientCertificate`"
            )
        }
        if case .server(let address) = target, address.credentials != nil, credentials != nil {
            throw combination("credentials are given both in the remote's URL and separately; give them in one place")
        }
        if !target.isLegacy, case .named(let name) = filter?.function {
            throw combination(
                "2.x+ servers have no filters by name, such as `\(name)`; use channels, or a JavaScript function that is called here")
        }
        if createsTarget, !target.isLegacy || direction == .pull {
            throw combination("only a push to a 1.x server can create the database there; remove `createTarget`")
        }
        if target.isLegacy {
            guard collections.count <= 1 else {
                throw combination("a 1.x server has no collections; replicate one, or the whole database")
            }
            guard resolver == .default else {
                throw combination("with a 1.x server both revisions of a conflict are kept as branches; it has no resolver")
            }
            guard usesDeltas != true else { throw combination("1.x servers accept no deltas; delta sync is for 2.x+ servers only") }
            guard prefersVersions != true else { throw combination("1.x servers have no versions; `versions` is for 2.x+ servers only") }
            guard networkInterface == nil else {
                throw combination(
                    "the network interface to a 1.x server is chosen by the system; `networkInterface` is for 2.x+ servers only")
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
            throw combination("a collection is named twice")
        }
    }

    private func combination(_ message: String) -> ReplicationSetupError { ReplicationSetupError(.combination, message) }
}

extension ReplicationDefinition {
    /// A copy with another direction, without a filter that does not apply to it.
    ///
    /// With a 1.x server, a filter of the server applies to pulls, and a JavaScript filter applies to pushes.
    package func directed(_ direction: DefinedDirection) -> ReplicationDefinition {
        var definition = self
        definition.direction = direction
        guard target.isLegacy else { return definition }
        switch (filter?.function, direction) {
        case (.named, .push), (.javaScript, .pull): definition.filter = nil
        default: break
        }
        return definition
    }
}

/// The direction of a replication, seen from the database that the replication belongs to.
package enum DefinedDirection: String, Hashable, Sendable, CaseIterable {
    case push
    case pull
    case pushAndPull = "push-and-pull"

    package var pushes: Bool { self != .pull }
    package var pulls: Bool { self != .push }
}

/// The filter of a replication, in addition to channels and document IDs.
package struct ReplicationFilterChoice: Hashable, Sendable {
    package enum Function: Hashable, Sendable {
        /// A filter function of the server, such as `app/byYear`; 1.x pulls.
        case named(String)
        /// A JavaScript function that the bridge calls.
        case javaScript(String)
    }

    package var function: Function

    /// The parameters of the filter.
    package var parameters: [String: JSONValue]

    package init(_ function: Function, parameters: [String: JSONValue] = [:]) {
        self.function = function
        self.parameters = parameters
    }
}

/// The resolution of conflicts: documents that were changed on both sides.
package enum ReplicationResolver: Hashable, Sendable {
    /// Couchbase Lite's rule: deletions win, then the longer history, then the higher revision ID.
    case `default`
    case localWins
    case remoteWins
    /// A function `function (conflict) { return conflict.localDocument; }`.
    case javaScript(String)

    /// The rules by their names in configurations and on the command line.
    static let names: [String: ReplicationResolver] = ["default": .default, "local-wins": .localWins, "remote-wins": .remoteWins]

    /// A rule by its name; `nil` for an unknown name.
    package init?(name: String) {
        guard let resolver = Self.names[name] else { return nil }
        self = resolver
    }
}

/// A local collection and its name on the other side.
package struct ReplicatedName: Hashable, Sendable {
    package var local: CollectionName
    package var remote: CollectionName

    package init(_ local: CollectionName, remote: CollectionName? = nil) {
        self.local = local
        self.remote = remote ?? local
    }
}

/// The reason why a replication's definition is invalid.
package struct ReplicationSetupError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: Hashable, Sendable {
        /// The remote's address is invalid.
        case address
        /// A setting that the remote's protocol does not support, or two settings that contradict each other.
        case combination
        /// A collection that does not exist in the database.
        case collection
    }

    package let code: Code

    /// The problem, and what to write instead.
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}
