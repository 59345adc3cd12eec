package import BridgeConfiguration
package import Cutover
package import Documents
package import Gateway
import HTTPTypes
import Logging
import Storage
package import Supervision

/// The replications of one database that run beside its listeners: those of the configuration, and those of the admin port.
package actor Replications {
    /// How many there may be.
    static let maximumCount = 1_000

    private struct Entry {
        let run: ReplicationRun
        /// How the admin port described it; `nil` for one of the configuration.
        let description: AdminReplication?
        /// Whether it is to run.
        var isWanted: Bool
    }

    private enum Life {
        /// The replications of the admin port are read from the store.
        case opening
        case open
        case closed
    }

    package nonisolated let database: Database
    private let builder: ReplicationBuilder
    private let supervisor: SupervisorConnection
    private var starts: ReplicationStarts
    private var entries: [String: Entry] = [:]
    private var life = Life.closed

    package init(_ builder: ReplicationBuilder, supervisor: SupervisorConnection = SupervisorConnection()) {
        self.builder = builder
        self.supervisor = supervisor
        starts = ReplicationStarts(supervisor, database: builder.database.name)
        database = builder.database
    }

    /// Starts the replications of the configuration, and those of the admin port that ran last.
    package func open(_ configured: [String: ReplicationDefinition]) async throws {
        life = .opening
        starts = ReplicationStarts(supervisor, database: database.name)
        let kept: [StoredReplication]
        do {
            kept = try await keptReplications()
        } catch {
            life = .closed
            throw error
        }
        // Closed meanwhile.
        guard life == .opening else { return }
        life = .open
        for kept in kept where configured[kept.description.id] == nil {
            do {
                let definition = try kept.description.definition(in: database)
                add(definition, id: kept.description.id, kept.description, isWanted: kept.isWanted, resets: kept.resets)
            } catch {
                builder.logger.error(
                    "a replication of the admin port is left out",
                    metadata: ["replication": "\(kept.description.id)", "error": "\(error.reason)"])
            }
        }
        for entry in entries.values where entry.isWanted { await starts.start(entry.run) }
        await apply(configured)
    }

    /// Makes the replications of the configuration those that are given: new and changed ones are started, others stopped.
    package func apply(_ configured: [String: ReplicationDefinition]) async {
        for (id, entry) in entries where entry.description == nil && configured[id] != entry.run.definition {
            entries[id] = nil
            await entry.run.close()
            if configured[id] == nil { starts.forget(id) }
        }
        for (id, definition) in configured.sorted(by: { $0.key < $1.key }) where life == .open {
            if let entry = entries[id] {
                guard entry.description != nil else { continue }
                builder.logger.warning(
                    "a replication of the configuration takes the place of one of the admin port", metadata: ["replication": "\(id)"])
                entries[id] = nil
                await entry.run.close()
            }
            await starts.start(add(definition, id: id, nil, isWanted: true))
        }
    }

    /// Stops all: what has arrived is stored, and the checkpoints are saved.
    package func close() async {
        life = .closed
        await withTaskGroup(of: Void.self) { group in
            for entry in entries.values { group.addTask { await entry.run.close() } }
        }
        // Those that are to go on come with the next opening, from the configuration and from the store.
        if life == .closed { entries = [:] }
    }

    /// The descriptions, in Sync Gateway's JSON, by name.
    package var descriptions: [(id: String, json: [JSONMember], isWanted: Bool)] {
        entries.sorted { $0.key < $1.key }.map { ($0.key, Self.json($0.value), $0.value.isWanted) }
    }

    package func description(_ id: String) throws(AdminError) -> JSONValue {
        .object(Self.json(try entry(id)))
    }

    /// Adds a replication, or changes one that is stopped.
    ///
    /// - Returns: Whether it is new.
    package func put(_ json: JSONValue, id: String) async throws -> Bool {
        let old = entries[id]
        var description = AdminReplication(id: id)
        if let old {
            guard let known = old.description else { throw Self.configured }
            description = known
            guard await old.run.isStopped else {
                throw AdminError(.badRequest, "Replication must be stopped before updating config")
            }
        }
        try description.merge(json)
        let definition = try description.definition(in: database)
        do {
            _ = try builder.build(definition, id: id)
        } catch {
            throw AdminError(.badRequest, "\(error)")
        }
        let resets = await old?.run.resets ?? false
        try requireOpen()
        guard entries[id]?.run === old?.run else { throw AdminError(.conflict, "Replication was changed by somebody else meanwhile") }
        guard old != nil || entries.count < Self.maximumCount else {
            throw AdminError(.badRequest, "There are \(Self.maximumCount) replications; remove one first")
        }
        let isWanted = old == nil && !description.startsStopped
        let run = add(definition, id: id, description, isWanted: isWanted, resets: resets)
        try await keep()
        if isWanted, life == .open { await starts.startOnRequest(run) }
        return old == nil
    }

    package func remove(_ id: String) async throws {
        try requireOpen()
        let entry = try entry(id)
        guard entry.description != nil else { throw Self.configured }
        entries[id] = nil
        try await keep()
        await entry.run.close()
        starts.forget(id)
        // Nobody is left who could try them again.
        _ = try await database.forgetParked(ParkedSelection(replication: id))
    }

    package func statuses() -> [ReplicationRun] {
        entries.sorted { $0.key < $1.key }.map(\.value.run)
    }

    package func run(_ id: String) throws(AdminError) -> ReplicationRun { try entry(id).run }

    package func start(_ id: String) async throws {
        if let run = try await want(true, id), life == .open { await starts.startOnRequest(run) }
    }

    package func stop(_ id: String) async throws {
        let entry = try entry(id)
        if entry.description?.isAdHoc == true {
            entries[id] = nil
            await entry.run.stop()
        } else {
            try await want(false, id)?.stop()
        }
    }

    /// Has the next start begin from nothing.
    package func reset(_ id: String) async throws {
        let run = try run(id)
        guard await run.isStopped else { throw AdminError(.badRequest, "Replication must be stopped before it can be reset") }
        await run.reset()
        try await keep()
    }

    private func want(_ isWanted: Bool, _ id: String) async throws -> ReplicationRun? {
        try requireOpen()
        var entry = try entry(id)
        entry.isWanted = isWanted
        entries[id] = entry
        if entry.description != nil { try await keep() }
        return entry.run
    }

    /// One-shot replications that are done are not started with the next start of the bridge; those that were for once are forgotten.
    private func ended(_ run: ReplicationRun) async {
        guard life == .open, let entry = entries[run.id], entry.run === run, let description = entry.description else { return }
        if description.isAdHoc {
            entries[run.id] = nil
        } else if entry.isWanted, await run.state.failure == nil {
            entries[run.id]?.isWanted = false
            do {
                try await keep()
            } catch {
                builder.logger.error("the replications cannot be kept", metadata: ["error": "\(error)"])
            }
        }
    }

    private static let configured = AdminError(
        .badRequest, "Replication stands in the configuration file; change it there, or stop it with _replicationStatus?action=stop")

    /// While they are opened or closed nobody changes them: what is kept would be overwritten by the few that are known.
    private func requireOpen() throws(AdminError) {
        guard life == .open else {
            throw AdminError(.serviceUnavailable, "The replications of the database are being started or stopped; try again later")
        }
    }

    private func entry(_ id: String) throws(AdminError) -> Entry {
        guard let entry = entries[id] else { throw AdminError(.notFound, "missing") }
        return entry
    }

    @discardableResult
    private func add(
        _ definition: ReplicationDefinition, id: String, _ description: AdminReplication?, isWanted: Bool, resets: Bool = false
    ) -> ReplicationRun {
        let run = ReplicationRun(id: id, definition: definition, resets: resets, builder: builder) { [weak self] in await self?.ended($0) }
        entries[id] = Entry(run: run, description: description, isWanted: isWanted)
        return run
    }

    private static func json(_ entry: Entry) -> [JSONMember] {
        entry.description?.json ?? ReplicationOutput.members(entry.run.definition, id: entry.run.id)
    }

    private func keptReplications() async throws -> [StoredReplication] {
        try await database.unified.localDocument(.replicator, id: StoredReplication.document).map { StoredReplication.read($0.body) } ?? []
    }

    /// Writes down what the admin port was told, so that it holds after the next start.
    private func keep() async throws {
        while true {
            let current = try await database.unified.localDocument(.replicator, id: StoredReplication.document)
            try requireOpen()
            var kept: [StoredReplication] = []
            for (_, entry) in entries.sorted(by: { $0.key < $1.key }) {
                guard let description = entry.description, !description.isAdHoc else { continue }
                kept.append(StoredReplication(description: description, isWanted: entry.isWanted, resets: await entry.run.resets))
            }
            guard !kept.isEmpty || current != nil else { return }
            do {
                _ = try await database.unified.setLocalDocument(
                    .replicator, id: StoredReplication.document, body: StoredReplication.body(of: kept),
                    expected: current.map { "0-\($0.revision)" })
                return
            } catch let error as GatewayError where error.code == .conflict {
                // Another call was quicker, and did not know all of this.
                continue
            }
        }
    }
}

/// What the gates of a cutover ask.
extension Replications {
    /// How far a replication is behind.
    package func lag(of id: String) async -> LagMeasurement {
        guard let run = try? run(id) else { return .unknown("there is none") }
        return await run.lag
    }
}
