import ArgumentParser
import Foundation
import SQLiteStorage
import Storage

/// `dualgauge restore FILE STORE`.
struct Restore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make a store from a backup.",
        discussion: """
            The counter of changes is raised beyond every sequence that clients may have seen since the backup was made, so that new changes reach \
            them. Clients send the changes that they still have from the lost time. Remove or rename the old store first.

            The backup is read to the last byte, as `dualgauge check` does. A damaged backup is refused; --damaged restores it nevertheless.

            Exit codes: 0 done; 2 there is a store already; 3 the backup is damaged or cannot be read, or the store cannot be written.
            """)

    @Argument(help: "The backup.", completion: .file())
    var file: String

    @Argument(help: "The new store's folder, such as shop.dualgauge. It must not exist yet.", completion: .directory)
    var store: String

    @Flag(help: "Restore the backup although the check finds damage.")
    var damaged = false

    @OptionGroup var output: OutputOptions

    func run() async throws {
        try StoreArgument.refuseServer(store, "restore")
        guard !FileManager.default.fileExists(atPath: store) else {
            throw UserFileError(message: "\(store) exists already; remove or rename it first")
        }
        // The store is restored under a temporary name and renamed at the end, so that a store without a raised fence is never served.
        let unfinished = Self.unfinished(store)
        try Self.remove(unfinished)
        do {
            try SQLiteStore.restore(from: file, to: unfinished)
            let restored = try SQLiteStore(path: unfinished)
            do {
                try await check(restored)
                try await restored.raiseFence()
            } catch {
                try? await restored.close()
                throw error
            }
            try await restored.close()
            try FileManager.default.moveItem(atPath: unfinished, toPath: store)
        } catch {
            try? Self.remove(unfinished)
            throw error
        }
        if output.json {
            try JSONOutput.print(BackupSummary(store: store, file: file))
        } else {
            print("\(store) is restored from \(file).")
        }
    }

    private func check(_ restored: SQLiteStore) async throws {
        let report = try await restored.check(limit: 20)
        guard !report.isSound else { return }
        let findings = CheckOutput(report).rendered
        guard damaged else {
            throw StorageError(
                .corrupt, "\(file) is damaged, and nothing was restored. Take another backup, or add --damaged.\n\(findings)")
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
