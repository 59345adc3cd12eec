import BridgeConfiguration
import Documents
import Foundation
import Gateway
import Logging
import Storage
import Stores

/// The databases created on the admin port. Their stores are in a folder, or a PostgreSQL database, of their own.
extension DatabaseRegistry {
    /// The served configuration, with the store's path, of a database created on the admin port.
    func served(_ input: DatabaseInput) -> ServerConfiguration.ServedDatabase {
        var served = ServerConfiguration.ServedDatabase(
            configuration: input.configuration, store: home.store(named: input.configuration.name))
        served.access = input.access
        served.authenticators = input.authenticators
        served.allowsFlush = configuration.allowsFlush
        return served
    }

    /// The names of the databases that have a store in the home, as last read if bridges share it.
    func storedNames() -> [String] {
        (home.isShared ? sharedNames : home.localNames).filter(ServerConfiguration.ServedDatabase.isAllowed)
    }

    /// Logs the databases created on the admin port that are not served, because the configuration file has others of the same names.
    func warnOfShadowedDatabases() async {
        for name in storedNames() {
            guard let running = self[name], running.origin == .file else { continue }
            let place = home.store(named: name)
            guard let own = try? place.identity(), let used = try? running.served.store.identity(), own != used,
                let store = try? await place.open()
            else { continue }
            let isInUse = (try? await store.read { try $0.setting(Self.setting) != nil }) ?? false
            try? await store.close()
            guard isInUse else { continue }
            logger.error(
                """
                the configuration file has a database with the name of a database that was made on the admin port. The latter is not served: give the \
                database of the file another name, or delete the store of the other database
                """, metadata: ["database": "\(name)", "store": "\(place)"])
        }
    }

    /// Opens a database of the home; `nil` if it was taken out of service.
    func startStored(_ name: String) async throws -> RunningDatabase? {
        let store = try await openStore(home.store(named: name), of: name)
        do {
            guard let text = try await store.read({ try $0.setting(Self.setting) }) else {
                try await store.close()
                return nil
            }
            let input = try DatabaseInput(try JSONValue(Array(text.utf8)), name: name)
            setFollowed(name, text)
            return try await start(served(input), input, .administrator, store: store, isOnline: !input.startsOffline)
        } catch {
            try? await store.close()
            throw error
        }
    }

    /// Persists the configuration of a database created on the admin port, so that it is available after a restart.
    func persist(_ input: DatabaseInput?, in store: any StoreEngine) async throws {
        let text = input.map { input in
            var bytes: [UInt8] = []
            input.json.append(to: &bytes)
            return String(decoding: bytes, as: UTF8.self)
        }
        try await store.write { try $0.set(text, forSetting: Self.setting) }
        if let input { setFollowed(input.configuration.name, text) }
    }
}
