import Authentication
import BridgeConfiguration
import Coordination
import Foundation
import Gateway
import Server
import Storage

/// A bridge within the test process, in which each history has a database with a store of its own.
enum LocalBridge {
    private static let server = Task {
        var configuration = ServerConfiguration()
        configuration.databasesFolder = "\(TemporaryFolder.parent)/dualgauge-parity-none"
        return try await LocalServer(configuration)
    }

    /// The virtual machine of a database's function stays for the database's name, so names are reused.
    private static let names = Lock(Names())

    private struct Names {
        var free: [String] = []
        private var count = 0

        mutating func next() -> String {
            count += 1
            return "h\(count)"
        }
    }

    static func play(_ history: History) async throws -> [Observation] {
        let server = try await server.value
        let folder = try TemporaryFolder()
        let name = names.withLock { $0.free.popLast() ?? $0.next() }
        defer { names.withLock { $0.free.append(name) } }
        try await server.open(database(name, history, in: folder))
        let played: Result<[Observation], any Error>
        do {
            played = .success(try await Player(history, server: server, database: name).play())
        } catch {
            played = .failure(error)
        }
        try await server.close(name)
        return try played.get()
    }

    private static func database(
        _ name: String, _ history: History, in folder: TemporaryFolder
    ) throws -> ServerConfiguration.ServedDatabase {
        var database = DatabaseConfiguration(name: name)
        database.collections =
            history.dialect.hasCollections
            ? history.dialect.keyspaces.compactMap { CollectionName($0) }.map {
                CollectionConfiguration(name: $0, syncFunction: history.syncFunction)
            } : [CollectionConfiguration(name: .default, syncFunction: history.syncFunction)]
        var served = ServerConfiguration.ServedDatabase(configuration: database, store: "\(folder.path)/store.dualgauge")
        served.access.allowsEmptyPasswords = true
        served.access.passwordCost = ScryptCost(checking: 1, blockSize: 1, parallelism: 1) ?? .standard
        return served
    }
}

/// A folder that is removed with the history; in memory if possible, because hundreds of them are created.
final class TemporaryFolder: Sendable {
    let path: String

    static var parent: String {
        let memory = "/dev/shm"
        return FileManager.default.isWritableFile(atPath: memory) ? memory : FileManager.default.temporaryDirectory.path
    }

    init() throws {
        path = "\(Self.parent)/dualgauge-parity-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
