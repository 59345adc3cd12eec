import Foundation
import SQLiteStorage
import Storage

/// Folders with the files of a store, each for the time from one crash or restore to the next one.
final class SQLitePlace: StorePlace {
    private let folder: String
    private let name: String
    private var generation = 0

    /// - Parameter folder: It exists.
    init(_ folder: String, _ name: String) {
        self.folder = folder
        self.name = name
    }

    private func path(_ generation: Int) -> String { "\(folder)/\(name)-\(generation).dualgauge" }

    func open(_ bridge: Int) async throws -> OpenedStore { try open(generation: generation) }

    private func open(generation: Int) throws -> OpenedStore {
        var options = SQLiteStore.Options()
        options.readerCount = 1
        // No other process has the store open, so commits of others are not polled.
        options.pollInterval = .seconds(3_600)
        let (path, remains) = (path(generation), path(generation + 1))
        return OpenedStore(
            engine: try SQLiteStore(path: path, options: options),
            keepRemains: { try FileManager.default.copyItem(atPath: path, toPath: remains) })
    }

    func recover() throws {
        try FileManager.default.removeItem(atPath: path(generation))
        generation += 1
    }

    func backUp(_ store: any StoreEngine) async throws -> String {
        let file = "\(folder)/\(name).backup"
        if FileManager.default.fileExists(atPath: file) { try FileManager.default.removeItem(atPath: file) }
        try await (store as? SQLiteStore)?.backup(to: file)
        return file
    }

    func restore(_ backup: String) async throws {
        try recover()
        try SQLiteStore.restore(from: backup, to: path(generation))
    }

    func reconnect() {}

    func remove() async throws {}

    // MARK: A server beside the present one

    /// Opens a backup beside the store.
    func openBeside(_ backup: String) throws -> OpenedStore {
        try SQLiteStore.restore(from: backup, to: path(generation + 1))
        return try open(generation: generation + 1)
    }

    /// Removes it. No process has it open.
    func discardBeside() throws { try FileManager.default.removeItem(atPath: path(generation + 1)) }
}
