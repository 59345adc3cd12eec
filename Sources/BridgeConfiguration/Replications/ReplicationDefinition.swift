package import Access
package import Documents
package import Gateway

/// One replication as `replications:`, the admin port or `dualgauge replicate` describes it.
package struct ReplicationDefinition: Hashable, Sendable {
    /// Bytes of a replication's name, as in Sync Gateway.
    package static let maximumNameLength = 160

    package var target: ReplicationTarget
    package var direction = ReplicationDirection.pushAndPull

    /// Whether it goes on when it has caught up.
    package var continuous = false

    /// Only documents of these channels are pulled; all that the user may see if empty.
    package var channels: [String] = []
    package var filter: ReplicationFilterChoice?

    /// Only these documents are replicated; all if empty.
    package var documentIDs: [String] = []

    /// What is replicated; if empty, everything that legacy clients see, which to a 2.x+ server is its default collection.
    package var collections: [ReplicatedName] = []
    package var credentials: ReplicationCredentials?
    package var headers: [String: Secret] = [:]

    /// Seconds of silence after which the other side is asked for a sign of life; 0 for the default.
    package var heartbeat = 0

    /// How many times in all a connection is tried; 0 for the default, 10 for one-shot and no end for continuous replications.
    package var maxAttempts = 0

    /// The most seconds between two attempts; 0 for the default, 300.
    package var maxAttemptWait = 0

    /// The server has to have exactly this certificate, in PEM or DER, whoever signed it: ``selfSignedOnly`` says no more then.
    package var pinnedCertificate: [UInt8]?

    /// The server has to have signed its certificate itself.
    package var selfSignedOnly = false
    package var resolver = ReplicationResolver.default

    /// Whether documents are purged here to which the user has lost access.
    package var purgesOnRemoval = true

    /// Whether revisions may go and come as deltas, where the other side has delta sync, too; by `nil` they may if it is a 2.x+ server.
    package var usesDeltas: Bool?

    /// Whether a 2.x+ server that knows versions, such as Sync Gateway 4, is spoken to in them; by `nil` only one that knows nothing else.
    package var prefersVersions: Bool?

    /// The HTTP proxy through which the server is reached; `nil` for the straight way.
    package var proxy: ReplicationProxy?

    /// Whether a push to a 1.x server makes the database there if it is not there.
    package var createsTarget = false

    /// The network interface, by name or address, to connect from; `nil` for whichever leads there.
    package var networkInterface: String?

    /// The most documents a second that are pulled from a 2.x+ server; `nil` for no limit.
    package var pullRate: Int?

    package init(target: ReplicationTarget) {
        self.target = target
    }

    /// The name of the login, where it has one.
    package var login: String? {
        if case .basic(let user, _) = credentials { return user }
        if case .server(let address) = target { return address.credentials?.user }
        return nil
    }

    /// Checks what goes together.
    ///
    /// - Throws: ``ReplicationSetupError``.
    package func validate() throws(ReplicationSetupError) {
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

extension ReplicationDefinition {
    /// The same in another direction, without a filter that is none of that direction's: a 1.x server's own filter is of pulls, a function that is
    /// called here is of pushes.
    package func directed(_ direction: ReplicationDirection) -> ReplicationDefinition {
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

/// Which way documents go, seen from the database that the replication belongs to.
package enum ReplicationDirection: String, Hashable, Sendable, CaseIterable {
    case push
    case pull
    case pushAndPull = "push-and-pull"

    package var pushes: Bool { self != .pull }
    package var pulls: Bool { self != .push }
}

/// Which documents are replicated, besides what channels and document IDs say.
package struct ReplicationFilterChoice: Hashable, Sendable {
    package enum Function: Hashable, Sendable {
        /// A filter of the server's, such as `app/byYear`; 1.x pulls.
        case named(String)
        /// A JavaScript function that is called here.
        case javaScript(String)
    }

    package var function: Function

    /// What the filter is given.
    package var parameters: [String: JSONValue]

    package init(_ function: Function, parameters: [String: JSONValue] = [:]) {
        self.function = function
        self.parameters = parameters
    }
}

/// What becomes of a document that was changed on both sides.
package enum ReplicationResolver: Hashable, Sendable {
    /// Couchbase Lite's rule: deletions, then the longer history, then the higher revision ID.
    case `default`
    case localWins
    case remoteWins
    /// A function `function (conflict) { return conflict.localDocument; }`.
    case javaScript(String)

    /// The rules by the names that configurations and the command line have for them.
    static let names: [String: ReplicationResolver] = ["default": .default, "local-wins": .localWins, "remote-wins": .remoteWins]

    /// A rule by its name; `nil` for other texts.
    package init?(name: String) {
        guard let resolver = Self.names[name] else { return nil }
        self = resolver
    }
}

/// A collection here and what the other side calls it.
package struct ReplicatedName: Hashable, Sendable {
    package var local: CollectionName
    package var remote: CollectionName

    package init(_ local: CollectionName, remote: CollectionName? = nil) {
        self.local = local
        self.remote = remote ?? local
    }
}

/// Why a replication cannot be carried out as it was described.
package struct ReplicationSetupError: Error, Hashable, Sendable, CustomStringConvertible {
    package struct Code: Hashable, Sendable {
        let name: String

        /// The remote's address is none.
        package static let address = Code(name: "address")
        /// A setting that the remote's protocol does not have, or two that contradict each other.
        package static let combination = Code(name: "combination")
        /// A collection that the database does not have.
        package static let collection = Code(name: "collection")
    }

    package let code: Code

    /// What is wrong, and what to write instead.
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}
