package import BridgeConfiguration
package import Cutover
package import Documents
package import Gateway
import HTTPTypes
import Logging
import Storage
package import Supervision

/// The replications of one database: those of the configuration and those of the admin port.
package actor Replications {
    /// The most replications of a database.
    static let maximumCount = 1_000

    private struct Entry {
        let run: ReplicationRun
        /// The description from the admin port; `nil` for a replication of the configuration.
        let description: AdminReplication?
        /// Whether it is meant to run.
        var isWanted: Bool
    }

    private enum Phase {
        /// The replications of the admin port are being read from the store.
        case opening
        case open
        case closed
    }

    package nonisolated let database: Database
    private let builder: ReplicationBuilder
    private let supervisor: SupervisorConnection
    private var starts: ReplicationStarts
    private var entries: [String: Entry] = [:]
    private var phase = Phase.closed

    package init(_ builder: ReplicationBuilder, supervisor: SupervisorConnection = SupervisorConnection()) {
        self.builder = builder
        self.supervisor = supervisor
        starts = ReplicationStarts(supervisor, database: builder.database.name)
        database = builder.database
    }

    /// Starts the replications of the configuration, and those of the admin port that were running last.
    package func open(_ configured: [String: ReplicationDefinition]) async throws {
        phase = .opening
        starts = ReplicationStarts(supervisor, database: database.name)
        let stored: [StoredReplication]
        do {
            stored = try await storedReplications()
        } catch {
            phase = .closed
            throw error
        }
        // Closed meanwhile.
        guard phase == .opening else { return }
        phase = .open
        for stored in stored where configured[stored.description.id] == nil {
            do {
                let definition = try stored.description.definition(in: database)
                add(definition, id: stored.description.id, stored.description, isWanted: stored.isWanted, resets: stored.resets)
            } catch {
                builder.logger.error(
                    "a replication of the admin port is ignored",
                    metadata: ["replication": "\(stored.description.id)", "error": "\(error.reason)"])
            }
        }
        for entry in entries.values where entry.isWanted { await starts.start(entry.run) }
        await apply(configured)
    }

    /// Applies the replications of a configuration: starts new and changed ones, stops others.
    package func apply(_ configured: [String: ReplicationDefinition]) async {
        for (id, entry) in entries where entry.description == nil && configured[id] != entry.run.definition {
            entries[id] = nil
            await entry.run.close()
            if configured[id] == nil { starts.forget(id) }
        }
        for (id, definition) in configured.sorted(by: { $0.key < $1.key }) where phase == .open {
            if let entry = entries[id] {
                guard entry.description != nil else { continue }
                builder.logger.warning(
                    "a replication of the configuration replaces a replication of the admin port", metadata: ["replication": "\(id)"])
                entries[id] = nil
                await entry.run.close()
            }
            await starts.start(add(definition, id: id, nil, isWanted: true))
        }
    }

    /// Stops all replications: stores what was received and saves the checkpoints.
    package func close() async {
        phase = .closed
        await withTaskGroup(of: Void.self) { group in
            for entry in entries.values { group.addTask { await entry.run.close() } }
        }
        // The next opening creates the entries again, from the configuration and the store.
        if phase == .closed { entries = [:] }
    }

    /// The descriptions, in Sync Gateway's JSON, by name.
    package var descriptions: [(id: String, json: [JSONMember], isWanted: Bool)] {
        entries.sorted { $0.key < $1.key }.map { ($0.key, Self.json($0.value), $0.value.isWanted) }
    }

    package func description(_ id: String) throws(AdminError) -> JSONValue {
        .object(Self.json(try entry(id)))
    }

    /// Adds a replication, or changes a stopped one.
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
        guard entries[id]?.run === old?.run else { throw AdminError(.conflict, "Another request changed the replication meanwhile") }
        guard old != nil || entries.count < Self.maximumCount else {
            throw AdminError(.badRequest, "There are \(Self.maximumCount) replications; remove one first")
        }
        let isWanted = old == nil && !description.startsStopped
        let run = add(definition, id: id, description, isWanted: isWanted, resets: resets)
        try await persist()
        if isWanted, phase == .open { await starts.startOnRequest(run) }
        return old == nil
    }

    package func remove(_ id: String) async throws {
        try requireOpen()
        let entry = try entry(id)
        guard entry.description != nil else { throw Self.configured }
        entries[id] = nil
        try await persist()
        await entry.run.close()
        starts.forget(id)
        // No replication could retry them any more.
        _ = try await database.forgetParked(ParkedSelection(replication: id))
    }

    package func statuses() -> [ReplicationRun] {
        entries.sorted { $0.key < $1.key }.map(\.value.run)
    }

    package func run(_ id: String) throws(AdminError) -> ReplicationRun { try entry(id).run }

    package func start(_ id: String) async throws {
        if let run = try await setWanted(true, id), phase == .open { await starts.startOnRequest(run) }
    }

    package func stop(_ id: String) async throws {
        let entry = try entry(id)
        if entry.description?.isAdHoc == true {
            entries[id] = nil
            await entry.run.stop()
        } else {
            try await setWanted(false, id)?.stop()
        }
    }

    /// Makes the next start discard the checkpoints.
    package func reset(_ id: String) async throws {
        let run = try run(id)
        guard await run.isStopped else { throw AdminError(.badRequest, "Replication must be stopped before it can be reset") }
        await run.reset()
        try await persist()
    }

    private func setWanted(_ isWanted: Bool, _ id: String) async throws -> ReplicationRun? {
        try requireOpen()
        var entry = try entry(id)
        entry.isWanted = isWanted
        entries[id] = entry
        if entry.description != nil { try await persist() }
        return entry.run
    }

    /// Handles the end of a replication. A finished one-shot replication is not started at the next start of the bridge. An ad-hoc one is
    /// removed.
    private func ended(_ run: ReplicationRun) async {
        guard phase == .open, let entry = entries[run.id], entry.run === run, let description = entry.description else { return }
        if description.isAdHoc {
            entries[run.id] = nil
        } else if entry.isWanted, await run.state.failure == nil {
            entries[run.id]?.isWanted = false
            do {
                try await persist()
            } catch {
                builder.logger.error("the replications cannot be stored", metadata: ["error": "\(error)"])
            }
        }
    }

    private static let configured = AdminError(
        .badRequest, "Replication is defined in the configuration file; change it there, or stop it with _replicationStatus?action=stop")

    /// Refuses changes during opening and closing: persisting then would overwrite the stored replications with an incomplete list.
    private func requireOpen() throws(AdminError) {
        guard phase == .open else {
            throw .unavailable("The replications of the database are being started or stopped; try again later")
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

    private func storedReplications() async throws -> [StoredReplication] {
        try await database.unified.localDocument(.replicator, id: StoredReplication.document).map { StoredReplication.read($0.body) } ?? []
    }

    /// Persists the replications of the admin port.
    private func persist() async throws {
        while true {
            let current = try await database.unified.localDocument(.replicator, id: StoredReplication.document)
            try requireOpen()
            var stored: [StoredReplication] = []
            for (_, entry) in entries.sorted(by: { $0.key < $1.key }) {
                guard let description = entry.description, !description.isAdHoc else { continue }
                stored.append(StoredReplication(description: description, isWanted: entry.isWanted, resets: await entry.run.resets))
            }
            guard !stored.isEmpty || current != nil else { return }
            do {
                _ = try await database.unified.setLocalDocument(
                    .replicator, id: StoredReplication.document, body: StoredReplication.body(of: stored),
                    expected: current.map { "0-\($0.revision)" })
                return
            } catch let error as GatewayError where error.code == .conflict {
                // A concurrent call has written first, without these changes.
                continue
            }
        }
    }
}

/// Queries of a cutover's gates.
extension Replications {
    /// The lag of a replication.
    package func lag(of id: String) async -> LagMeasurement {
        guard let run = try? run(id) else { return .unknown("it does not exist") }
        return await run.lag
    }
}
