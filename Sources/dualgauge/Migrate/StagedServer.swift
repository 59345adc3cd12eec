import BridgeConfiguration
import Documents
import Foundation
import Gateway
import Logging
import Migration
import ReplicationService
import Scripting
import Server
import Storage
import Stores

/// A 2.x+ server as a source. It is replicated into a store beside the target, so that an interrupted run can resume.
struct StagedServer {
    /// The default number of connection attempts.
    private static let attempts = 3

    let address: RemoteAddress
    let access: SourceEndpoint.Access

    func open(_ scripts: ScriptEngine, _ logger: Logger) async throws -> any MigrationSource {
        var definition = ReplicationDefinition(target: .server(address))
        definition.direction = .pull
        definition.collections = access.collections.map { ReplicatedName($0) }
        try access.connection.apply(to: &definition)
        // An unreachable server ends the command with an error soon. The same command resumes the replication later.
        if definition.maxAttempts == 0 { definition.maxAttempts = Self.attempts }
        definition.pullRate = access.rate
        try definition.validate()
        let path = staging
        let database = try await LocalStore.open(path, creating: true, collections: access.collections, scripts, logger)
        let replication = try ReplicationBuilder(database: database, scripts: scripts, logger: logger).build(definition, id: "migrate")
        let source = StoreSource(try await StoreLocation.folder(path).open(), label: path)
        return ReplicatedSource(
            source, label: "\(address)", kind: "2.x+ server", channels: { await seenChannels() }
        ) { try await Self.pull(replication) }
    }

    /// The channels that the login sees in the default collection, according to the server's HTTP interface.
    ///
    /// `nil` for all channels, and if the server does not report them.
    private func seenChannels() async -> [String]? {
        guard access.collections.isEmpty || access.collections.contains(.default), let address = try? address.overHTTP else { return nil }
        var definition = ReplicationDefinition(target: .server(address))
        definition.direction = .pull
        guard (try? access.connection.apply(to: &definition)) != nil else { return nil }
        return try? await ReplicationBuilder.seenChannels(definition)
    }

    /// The path beside which a target's staging stores are: that of its folder, or in the present folder for a store in PostgreSQL.
    static func folder(of target: String) throws -> String {
        guard case .postgreSQL(let location) = try StoreLocation(target) else { return target }
        return "\(StoreLocation.postgreSQL(location).name).dualgauge"
    }

    /// `TARGET.dualgauge.staging/HASH.dualgauge`. The hash depends on the server and its collections, so that each combination has its own store.
    private var staging: String {
        let text = ([address.url] + access.collections.map(\.description)).joined(separator: "\n")
        let digest = Hex.text(AttachmentDigest.sha1(of: text.utf8).bytes.prefix(8))
        return "\(access.target).staging/\(digest).dualgauge"
    }

    private static func pull(_ replication: any BridgeReplicator) async throws -> [SourceFault] {
        let reports = await replication.reports()
        await replication.start(reset: false)
        return try await withTaskCancellationHandler {
            try await faults(reports)
        } onCancel: {
            Task { await replication.stop() }
        }
    }

    private static func faults(_ reports: AsyncStream<ReplicationReport>) async throws -> [SourceFault] {
        var faults: [SourceFault] = []
        var hasBegun = false
        for await report in reports {
            switch report {
            case .documents(let outcomes):
                for outcome in outcomes {
                    if let failure = outcome.failure { faults.append(SourceFault(id: outcome.id, reason: failure.message)) }
                }
            case .state(let state):
                hasBegun = hasBegun || state.activity != .stopped
                guard hasBegun || state.failure != nil, state.activity == .stopped else { continue }
                try Task.checkCancellation()
                if let failure = state.failure {
                    throw SourceError(
                        failure.status == 401 || failure.status == 403
                            ? .unauthorized : failure.kind == .refused ? .unsupported : .unreachable,
                        failure.message)
                }
                return faults
            }
        }
        return faults
    }
}
