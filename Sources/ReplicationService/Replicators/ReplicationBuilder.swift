import Access
package import Authentication
package import BridgeConfiguration
package import Gateway
package import Logging
import ModernClient
import ModernServer
package import Scripting
package import Telemetry

/// Builds replications of a database from their definitions.
package struct ReplicationBuilder: Sendable {
    package let database: Database
    let scripts: ScriptEngine
    let logger: Logger

    /// Whether continuous replications retry after any refusal. For the replications of a bridge, which nobody would restart.
    package var goesOnAfterRefusals = false

    /// The metrics of the database, to which its replications add theirs.
    package var metrics = MetricsRegistry()

    /// Whether a replication is with the fleet's old server.
    let isUpstream: @Sendable (ReplicationDefinition) -> Bool

    /// The trail of this bridge in requests to servers, by which the bridge detects a loop.
    private let trail: ViaHeader

    package init(
        database: Database, scripts: ScriptEngine, logger: Logger, trail: ViaHeader = ViaHeader(),
        isUpstream: @escaping @Sendable (ReplicationDefinition) -> Bool = { _ in false }
    ) {
        self.isUpstream = isUpstream
        self.trail = trail
        self.database = database
        self.scripts = scripts
        self.logger = logger
    }

    /// - Parameter id: its name, in logs and in errors of its functions.
    /// - Throws: ``ReplicationSetupError``, or the replicator's errors about its settings.
    package func build(_ definition: ReplicationDefinition, id: String) throws -> any BridgeReplicator {
        try definition.validate()
        var logger = logger
        logger[metadataKey: "replication"] = "\(id)"
        switch definition.target {
        case .server(let address) where address.isLegacy:
            return try legacy(definition, id: id, address, logger)
        case .server(let address):
            return try modern(definition, id: id, URLEndpoint(url: address.url), address.credentials, logger)
        case .database(let other):
            return try modern(
                definition, id: id, DatabaseEndpoint(database: other, service: ModernListener.serveWithinProcess), nil, logger)
        }
    }

    /// A definition's headers, with the trail.
    func headers(_ definition: ReplicationDefinition) -> [String: String] {
        var headers = definition.headers.mapValues { $0.revealed }
        if !trail.ids.isEmpty { headers[ViaHeader.header] = trail.text }
        return headers
    }

    private func modern(
        _ definition: ReplicationDefinition, id: String, _ endpoint: any ReplicatorEndpoint, _ credentials: RemoteAddress.Credentials?,
        _ logger: Logger
    ) throws -> any BridgeReplicator {
        var configuration = ReplicatorConfiguration(target: endpoint)
        configuration.replicatorType =
            switch definition.direction {
            case .push: .push
            case .pull: .pull
            case .pushAndPull: .pushAndPull
            }
        configuration.continuous = definition.continuous
        configuration.goesOnAfterRefusals = goesOnAfterRefusals
        configuration.authenticator =
            definition.credentials.flatMap(Self.authenticator)
            ?? credentials.map { BasicAuthenticator(username: $0.user, password: $0.password.revealed) }
        configuration.headers = headers(definition)
        configuration.heartbeat = definition.heartbeat
        configuration.maxAttempts = definition.maxAttempts
        configuration.maxAttemptWaitTime = definition.maxAttemptWait
        configuration.enableAutoPurge = definition.purgesOnRemoval
        configuration.enableDeltaSync = definition.usesDeltas ?? true
        configuration.prefersVersions = definition.prefersVersions ?? false
        configuration.proxy = definition.proxy?.address
        configuration.networkInterface = definition.networkInterface
        configuration.parking = Parking(id, in: database)
        configuration.pinnedServerCertificate = definition.pinnedCertificate
        configuration.acceptOnlySelfSignedServerCertificate = definition.selfSignedOnly
        let collection = self.collection(definition, id: id)
        for (keyspace, name) in try keyspaces(definition) { configuration.addCollection(keyspace, as: name, config: collection) }
        return try ModernReplicator(configuration, logger: logger)
    }

    private func collection(_ definition: ReplicationDefinition, id: String) -> ReplicatorConfiguration.CollectionConfiguration {
        var collection = ReplicatorConfiguration.CollectionConfiguration()
        collection.channels = definition.channels
        collection.documentIDs = definition.documentIDs
        let owner = "\(database.name).replications.\(id)"
        if case .javaScript(let source) = definition.filter?.function {
            let filter = ReplicationFilter.javaScript(source, owner: "\(owner).filter", engine: scripts)
            collection.pushFilter = filter
            collection.pullFilter = filter
        }
        if let rate = definition.pullRate { collection.pullFilter = PullRate(rate).filter(collection.pullFilter) }
        collection.conflictResolver =
            switch definition.resolver {
            case .default: .default
            case .localWins: .localWins
            case .remoteWins: .remoteWins
            case .javaScript(let source): .javaScript(source, owner: "\(owner).resolver", engine: scripts)
            }
        return collection
    }

    /// The replicated keyspaces, with their names on the other side.
    func keyspaces(_ definition: ReplicationDefinition) throws(ReplicationSetupError) -> [(Keyspace, CollectionName)] {
        guard !definition.collections.isEmpty else { return [(database.unified, .default)] }
        var found: [(Keyspace, CollectionName)] = []
        for (name, keyspace) in zip(definition.collections, database.keyspaces(definition.collections.map(\.local))) {
            guard let keyspace else {
                throw ReplicationSetupError(.collection, "the database \(database.name) has no collection \(name.local)")
            }
            found.append((keyspace, name.remote))
        }
        return found
    }

    private static func authenticator(_ credentials: ReplicationCredentials) -> (any Authenticator)? {
        switch credentials {
        case .basic(let user, let password): BasicAuthenticator(username: user, password: password.revealed)
        case .session(let id, let name): SessionAuthenticator(sessionID: id.revealed, cookieName: name)
        case .cookie(let cookie): SessionAuthenticator(sessionID: cookie.value.revealed, cookieName: cookie.name)
        case .clientCertificate(let chain, let key):
            ClientCertificateAuthenticator(certificateChain: chain, privateKey: Array(key.revealed.utf8))
        case .facebook, .persona: nil
        }
    }
}
