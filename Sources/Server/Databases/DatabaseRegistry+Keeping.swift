import BridgeConfiguration
import Documents
import Foundation
import Gateway
import Logging
import SQLiteStorage
import Storage

/// The databases created on the admin port. Their stores are in a folder of their own.
extension DatabaseRegistry {
    static let suffix = ".dualgauge"

    /// The served configuration, with the store's path, of a database created on the admin port.
    func served(_ input: DatabaseInput) -> ServerConfiguration.ServedDatabase {
        var served = ServerConfiguration.ServedDatabase(
            configuration: input.configuration,
            store: "\(configuration.databasesFolder)/\(input.configuration.name)\(Self.suffix)")
        served.access = input.access
        served.authenticators = input.authenticators
        served.allowsFlush = configuration.allowsFlush
        return served
    }

    /// The names of the databases that have a store in the databases folder.
    func storedNames() -> [String] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: configuration.databasesFolder)) ?? []
        return files.filter { $0.hasSuffix(Self.suffix) }.map { String($0.dropLast(Self.suffix.count)) }
            .filter(ServerConfiguration.ServedDatabase.isAllowed).sorted()
    }

    /// Logs the databases created on the admin port that are not served, because the configuration file has others of the same names.
    func warnOfShadowedDatabases() async {
        for name in storedNames() {
            guard let running = self[name], running.origin == .file else { continue }
            let path = "\(configuration.databasesFolder)/\(name)\(Self.suffix)"
            guard URL(fileURLWithPath: path).standardizedFileURL != URL(fileURLWithPath: running.served.store).standardizedFileURL,
                let store = try? SQLiteStore(path: path)
            else { continue }
            let isInUse = (try? await store.read { try $0.setting(Self.setting) != nil }) ?? false
            try? await store.close()
            guard isInUse else { continue }
            logger.error(
                """
                the configuration file has a database with the name of a database that was made on the admin port. The latter is not served: give the \
                database of the file another name, or delete the folder of the other database
                """, metadata: ["database": "\(name)", "store": "\(path)"])
        }
    }

    /// Opens a database of the databases folder; `nil` if it was taken out of service.
    func startStored(_ name: String) async throws -> RunningDatabase? {
        let store = try openStore("\(configuration.databasesFolder)/\(name)\(Self.suffix)", of: name)
        do {
            guard let text = try await store.read({ try $0.setting(Self.setting) }) else {
                try await store.close()
                return nil
            }
            let input = try DatabaseInput(try JSONValue(Array(text.utf8)), name: name)
            return try await start(served(input), input, .administrator, store: store, isOnline: !input.startsOffline)
        } catch {
            try? await store.close()
            throw error
        }
    }

    /// Persists the configuration of a database created on the admin port, so that it is available after a restart.
    func persist(_ input: DatabaseInput?, in store: SQLiteStore) async throws {
        let text = input.map { input in
            var bytes: [UInt8] = []
            input.json.append(to: &bytes)
            return String(decoding: bytes, as: UTF8.self)
        }
        try await store.write { try $0.set(text, forSetting: Self.setting) }
    }
}
