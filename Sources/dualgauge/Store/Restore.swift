import ArgumentParser
import Foundation
import SQLiteStorage
import Storage
import Stores

/// `dualgauge restore FILE STORE`.
struct Restore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make a store from a backup, or complete a restore by other means.",
        discussion: """
            The counter of changes is raised beyond every sequence that clients may have seen since the backup was made, so that new changes reach \
            them. Clients send the changes that they still have from the lost time. Remove or rename the old store first.

            The backup is read to the last byte, as `dualgauge check` does. A damaged backup is refused; --damaged restores it nevertheless.

            --in-place is for a store that another program has restored: PostgreSQL's own means, or a copied folder. It checks the store and raises its \
            counter. Run it before a bridge serves the store. A failover to a standby that lacks the last commits does not need it.

              dualgauge restore shop.backup shop.dualgauge
              dualgauge restore --in-place 'postgres://bridge@db1,db2/sync?schema=shop'

            Exit codes: 0 done; 2 there is a store already; 3 the backup is damaged or cannot be read, or the store cannot be written.
            """)

    @Argument(help: "The backup; with --in-place the store: its folder, or postgres://USER@HOST/DATABASE?schema=NAME.", completion: .file())
    var file: String

    @Argument(help: "The new store's folder, such as shop.dualgauge. It must not exist yet.", completion: .directory)
    var store: String?

    @Flag(help: "Check a store that another program has restored, and raise its counter.")
    var inPlace = false

    @Flag(help: "Restore the backup although the check finds damage.")
    var damaged = false

    @OptionGroup var output: OutputOptions

    func validate() throws {
        if inPlace != (store == nil) { throw ValidationError(inPlace ? "--in-place takes one store" : "Name the new store") }
    }

    func run() async throws {
        if let store { try await restore(to: store) } else { try await complete(try StoreArgument.location(file)) }
        if output.json {
            try JSONOutput.print(BackupSummary(store: store ?? file, file: file))
        } else {
            print(
                store.map { "\($0) is restored from \(file)." }
                    ?? "\(file) can be served: new changes reach clients that have seen lost ones.")
        }
    }

    /// Completes a restore by another program.
    private func complete(_ location: StoreLocation) async throws {
        try await complete(try await location.open(StoreOptions(createsIfMissing: false)))
    }

    /// Checks a restored store, raises its fence, and closes it.
    private func complete(_ restored: any StoreEngine) async throws {
        do {
            try await check(restored)
            try await restored.raiseFence()
        } catch {
            try? await restored.close()
            throw error
        }
        try await restored.close()
    }

    private func restore(to store: String) async throws {
        try StoreArgument.refuseServer(store, "restore")
        guard !FileManager.default.fileExists(atPath: store) else {
            throw UserFileError(message: "\(store) exists already; remove or rename it first")
        }
        // The store is restored under a temporary name and renamed at the end, so that a store without a raised fence is never served.
        let unfinished = Self.unfinished(store)
        try Self.remove(unfinished)
        do {
            try SQLiteStore.restore(from: file, to: unfinished)
            try await complete(try SQLiteStore(path: unfinished))
            try FileManager.default.moveItem(atPath: unfinished, toPath: store)
        } catch {
            try? Self.remove(unfinished)
            throw error
        }
    }

    private func check(_ restored: any StoreEngine) async throws {
        let report = try await restored.check(limit: 20)
        guard !report.isSound else { return }
        let findings = CheckOutput(report).rendered
        guard damaged else {
            let state = inPlace ? "its counter is as before" : "nothing was restored"
            throw StorageError(.corrupt, "\(file) is damaged, and \(state). Take another backup, or add --damaged.\n\(findings)")
        }
        StandardStream.errors.write("\(file) is damaged and was restored nevertheless. \(findings)\n")
    }

    private static func unfinished(_ store: String) -> String {
        var path = Substring(store)
        while path.count > 1, path.hasSuffix("/") { path = path.dropLast() }
        return path + ".unfinished"
    }

    private static func remove(_ path: String) throws {
        guard FileManager.default.fileExists(atPath: path) else { return }
        try FileManager.default.removeItem(atPath: path)
    }
}
