import BridgeConfiguration
import Gateway
import HTTPTypes
import ReplicationService
import Storage
import Stores
import Supervision

/// Applies a new configuration file to the databases.
extension DatabaseRegistry {
    /// Removes the databases that the file no longer has, reconfigures those that it changes, and adds new ones.
    ///
    /// A database with an unchanged entry is not touched, so that its changes on the admin port stay in effect.
    ///
    /// - Returns: The result by database. A database that cannot be reconfigured continues with its old configuration.
    func reload(_ databases: [ServerConfiguration.ServedDatabase]) async -> ReloadReport {
        let before = file
        let after = Dictionary(databases.map { ($0.configuration.name, $0) }) { _, last in last }
        var report = ReloadReport()
        // A store may move from one name to another, so removals come first.
        for name in before.keys.sorted() where after[name] == nil {
            await carryOut(\.removed, name, &report) { try await self.retire(name) }
        }
        for (name, served) in after.sorted(by: { $0.key < $1.key }) {
            if before[name] == served {
                await checkCollections(of: name, &report)
            } else if before[name] != nil, self[name] != nil {
                await carryOut(\.changed, name, &report) { try await self.change(name, to: served) }
            } else {
                await carryOut(\.added, name, &report) { try await self.add(served) }
            }
        }
        for part in supervisor.held where part.kind == .database && after[part.name] == nil {
            await openHeld(part, &report)
        }
        return report
    }

    /// Opens a held-back database that the file does not have: it was created on the admin port, or is gone.
    private func openHeld(_ part: StartPart, _ report: inout ReloadReport) async {
        let name = part.name
        guard storedNames().contains(name) else {
            supervisor.release(part)
            return report.removed.append(name)
        }
        await carryOut(\.added, name, &report) {
            guard let running = try await startStored(name) else { return supervisor.release(part) }
            put(running)
            try await running.openReplications()
        }
    }

    /// Checks a database with an unchanged entry for new collections: a command may have added some to the store.
    private func checkCollections(of name: String, _ report: inout ReloadReport) async {
        do {
            try await self[name]?.database.warnOfUndescribedCollections()
        } catch {
            report.failed[name] = "\(error)"
        }
    }

    private func carryOut(
        _ list: WritableKeyPath<ReloadReport, [String]>, _ name: String, _ report: inout ReloadReport, _ change: () async throws -> Void
    ) async {
        do {
            try await changing(name, change)
            report[keyPath: list].append(name)
        } catch let error as AdminError {
            report.failed[name] = error.reason
        } catch {
            report.failed[name] = "\(error)"
        }
    }

    private func retire(_ name: String) async throws {
        defer { record(nil, inFileOf: name) }
        setUnreachable(name, nil)
        guard let running = self[name], running.origin == .file else { return }
        _ = removeRunning(name)
        await running.retire()
        try await running.database.close()
    }

    private func add(_ served: ServerConfiguration.ServedDatabase) async throws {
        let name = served.configuration.name
        guard self[name] == nil else {
            throw AdminError(
                .conflict, "a database of this name was made on the admin port; delete it there, or give this one another name")
        }
        do {
            let running = try await start(served, try DatabaseInput(served.configuration), .file)
            put(running)
            record(served, inFileOf: name)
            try await running.openReplications()
        } catch let error as StorageError where served.store.isShared && error.mayPass && self[name] == nil {
            record(served, inFileOf: name)
            setUnreachable(name, error)
            startOpener()
            throw error
        }
    }

    private func change(_ name: String, to served: ServerConfiguration.ServedDatabase) async throws {
        guard let old = self[name], old.origin == .file, let before = file[name] else { throw AdminError.noDatabase(name) }
        var replicatingAnew = before
        replicatingAnew.replications = served.replications
        let input = try DatabaseInput(served.configuration)
        if replicatingAnew == served {
            await old.replicate(served.replications)
        } else if before.store == served.store {
            try await replace(old, by: served, input)
        } else {
            let new = try await start(served, input, .file)
            put(new)
            await old.retire()
            try await old.database.close()
            try await new.openReplications()
        }
        record(served, inFileOf: name)
    }
}
