import Access
import Foundation
import Gateway
import Server
import Storage

/// A bridge within the test, in which each history gets a database with a store of its own.
enum LocalBridge {
    private static let server = Task {
        var configuration = ServerConfiguration()
        configuration.databasesFolder = "\(TemporaryFolder.parent)/dualgauge-parity-none"
        return try await LocalServer(configuration)
    }

    static func play(_ history: History) async throws -> [Observation] {
        let server = try await server.value
        let folder = try TemporaryFolder()
        let name = "h" + UUID().uuidString.lowercased().filter { $0 != "-" }.prefix(12)
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
        served.access.passwordCost = .configured(ScryptCost.configurable.lowerBound)
        return served
    }
}
