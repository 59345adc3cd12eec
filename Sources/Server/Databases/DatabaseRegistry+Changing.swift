import BridgeConfiguration
import Coordination
import Foundation
import Gateway
import HTTPTypes
import ReplicationService
import Storage
import Stores
import Supervision

/// The operations of administrators on whole databases.
extension DatabaseRegistry {
    /// Creates a database, or brings one back into service whose store still exists.
    ///
    /// A database of the configuration file comes back with the store that the file names. A concurrent request for the same database waits
    /// for the first one, and fails as a duplicate if the first one succeeds.
    func create(_ input: DatabaseInput) async throws {
        let name = input.configuration.name
        try await changing(name, waits: true) {
            guard self[name] == nil else { throw AdminError(.preconditionFailed, "Duplicate database name \"\(name)\"") }
            let ofFile = file[name]
            let served = ofFile.map { input.applied(to: $0, keepsOmitted: true) } ?? served(input)
            try await check(served)
            if ofFile == nil { try home.prepare() }
            let running = try await start(served, input, ofFile == nil ? .administrator : .file)
            do {
                try await AccountSetup(running).apply(input)
                if ofFile == nil { try await persist(input, in: running.store) }
            } catch {
                await running.retire()
                try await running.database.close()
                throw error
            }
            put(running)
            try await running.openReplications()
        }
    }

    /// Takes a database out of service. Its store stays. A `PUT` brings the database back; so does a restart if the configuration file has
    /// it.
    func remove(_ name: String) async throws {
        try await changing(name) {
            guard let running = removeRunning(name) else {
                guard unreachable[name] == nil else { throw AdminError.unreachable(name) }
                return try await removeHeld(name)
            }
            await running.retire()
            if running.origin == .administrator { try await persist(nil, in: running.store) }
            try await running.database.close()
        }
    }

    /// Takes a held-back database out of service. Opens its store for the configuration only and does not start the database.
    private func removeHeld(_ name: String) async throws {
        guard isHeld(name) else { throw AdminError.noDatabase(name) }
        let isOfFile = configuration.databases.contains { $0.configuration.name == name }
        if !isOfFile, storedNames().contains(name) {
            let store = try await home.store(named: name).open()
            do {
                try await persist(nil, in: store)
            } catch {
                try? await store.close()
                throw error
            }
            try await store.close()
        }
        supervisor.release(StartPart(.database, name))
    }

    /// Changes the configuration of a database and disconnects its clients.
    ///
    /// - Parameter given: the newly supplied input, whose users and roles are written. Users and roles of earlier inputs stay unchanged.
    func configure(_ name: String, given: DatabaseInput? = nil, _ makeInput: (DatabaseInput) throws -> DatabaseInput) async throws {
        try await changing(name) {
            guard let old = self[name] else { throw absence(name) }
            let input = try makeInput(old.input)
            let served = old.origin == .file ? input.applied(to: old.served) : served(input)
            try await check(served)
            try await replace(old, by: served, input, given: given)
        }
    }

    /// Serves a database's store with another configuration and disconnects the clients.
    ///
    /// - Parameter persists: whether the configuration of a database created on the admin port is stored.
    /// - Throws: The error that prevents the new database from starting. The old one continues then.
    func replace(
        _ old: RunningDatabase, by served: ServerConfiguration.ServedDatabase, _ input: DatabaseInput, given: DatabaseInput? = nil,
        persists: Bool = true
    ) async throws {
        // The lease stays with this bridge.
        await old.lease?.stop(leaves: false)
        await old.resync.stop()
        await old.moves.stop()
        await old.misplaced.stop()
        await old.replications.close()
        do {
            let new = try await start(
                served, input, old.origin, store: old.store, isOnline: old.isOnline && !input.startsOffline, uses: old.uses)
            do {
                if let given { try await AccountSetup(new).apply(given) }
                if persists, old.origin == .administrator { try await persist(input, in: old.store) }
            } catch {
                await new.resync.stop()
                await new.moves.stop()
                await new.misplaced.stop()
                await new.visits.stop()
                await new.watch.stop()
                await new.devices?.close()
                await new.access.close()
                throw error
            }
            put(new)
            try await new.openReplications()
        } catch {
            if old.lease == nil {
                try await old.resync.resume()
                try await old.moves.resume()
                old.misplaced.start()
            }
            try await old.openReplications()
            throw error
        }
        old.goOffline()
        old.retiring.raise()
        await old.expiry.stop()
        await old.visits.stop()
        await old.watch.stop()
        await old.devices?.close()
        await old.access.close()
    }

    /// Empties a database: replaces its store with a new one, so that clients start from zero.
    func flush(_ name: String) async throws {
        try await changing(name) {
            guard let running = self[name] else { throw absence(name) }
            guard running.served.allowsFlush else {
                throw AdminError(
                    .serviceUnavailable,
                    "Flushing deletes every document of \"\(name)\"; the configuration has to allow it with `allowFlush: true`")
            }
            _ = removeRunning(name)
            await running.retire()
            try await running.database.close()
            do {
                try await running.served.store.remove()
            } catch {
                try await resume(running)
                throw error
            }
            let fresh: RunningDatabase
            do {
                fresh = try await startEmptied(running)
            } catch let error as StorageError where running.served.store.isShared && error.mayPass {
                setUnreachable(name, error)
                startOpener()
                throw error
            }
            put(fresh)
            try await fresh.openReplications()
        }
    }

    /// Creates a store in the place of the removed one. Other bridges open it again, too, and need its configuration at once.
    private func startEmptied(_ closed: RunningDatabase) async throws -> RunningDatabase {
        let store = try await openStore(closed.served.store, of: closed.database.name)
        do {
            if closed.origin == .administrator { try await persist(closed.input, in: store) }
            return try await start(closed.served, closed.input, closed.origin, store: store, isOnline: !closed.input.startsOffline)
        } catch {
            try? await store.close()
            throw error
        }
    }

    /// Serves a database again whose store could not be emptied.
    private func resume(_ closed: RunningDatabase) async throws {
        do {
            let running = try await start(closed.served, closed.input, closed.origin)
            put(running)
            try await running.openReplications()
        } catch let error as StorageError where closed.served.store.isShared && error.mayPass {
            setUnreachable(closed.database.name, error)
            startOpener()
        }
    }

    /// Validates the configuration before anything is changed.
    private func check(_ served: ServerConfiguration.ServedDatabase) async throws {
        guard ServerConfiguration.ServedDatabase.isAllowed(served.configuration.name) else {
            throw AdminError(.badRequest, "Illegal database name: \(served.configuration.name)")
        }
        do {
            var configuration = ServerConfiguration()
            configuration.databases = [served]
            try await ConfigurationScripts.validate(configuration)
            let names = Set(served.configuration.collections.map(\.name)).union([.default])
            _ = try RouteTable(served.configuration.routes, collections: names)
        } catch let error as ConfigurationError {
            throw AdminError(.badRequest, error.findings.map(\.description).joined(separator: "; "))
        } catch let error as GatewayError {
            throw AdminError(.badRequest, error.message)
        }
    }
}
