import Access
import Foundation
import Gateway
import Logging
import Server
import Storage

/// A bridge within the test, for one history, with a store and ports of its own.
enum LocalBridge {
    struct NeverReady: Error {}

    static func play(_ history: History) async throws -> [Observation] {
        let folder = try TemporaryFolder()
        let bridge = try await Bridge.open(
            configuration(history, in: folder), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let (servers, continuation) = AsyncStream.makeStream(of: Server.self)
        let serving = Task {
            defer { continuation.finish() }
            try await bridge.serve {
                continuation.yield(Server(kind: .bridge, publicURL: "http://127.0.0.1:\($0)", adminURL: "http://127.0.0.1:\($1)"))
            }
        }
        guard let server = await servers.first(where: { _ in true }) else {
            try await serving.value
            throw NeverReady()
        }
        let played: Result<[Observation], any Error>
        do {
            played = .success(try await Player(history, server: server, database: "shop").play())
        } catch {
            played = .failure(error)
        }
        try await bridge.stop()
        try await serving.value
        return try played.get()
    }

    private static func configuration(_ history: History, in folder: TemporaryFolder) throws -> ServerConfiguration {
        var database = DatabaseConfiguration(name: "shop")
        database.collections =
            history.dialect.hasCollections
            ? history.dialect.keyspaces.compactMap { CollectionName($0) }.map {
                CollectionConfiguration(name: $0, syncFunction: history.syncFunction)
            } : [CollectionConfiguration(name: .default, syncFunction: history.syncFunction)]
        var served = ServerConfiguration.ServedDatabase(configuration: database, store: "\(folder.path)/shop.dualgauge")
        served.access.allowsEmptyPasswords = true
        served.access.passwordCost = .configured(ScryptCost.configurable.lowerBound)
        var configuration = ServerConfiguration()
        configuration.listen.publicAddress.port = 0
        configuration.listen.adminAddress.port = 0
        configuration.databasesFolder = "\(folder.path)/databases"
        configuration.databases = [served]
        return configuration
    }
}

/// A folder that is removed with the history; in memory where that can be, because hundreds of them are made.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        let memory = "/dev/shm"
        let parent = FileManager.default.isWritableFile(atPath: memory) ? memory : FileManager.default.temporaryDirectory.path
        path = "\(parent)/dualgauge-parity-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
