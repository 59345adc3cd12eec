import Foundation
package import Storage
package import Stores

/// The engine of the stores of tests above the engines.
///
/// It is SQLite, or PostgreSQL if the variable `DUALGAUGE_TEST_STORE` is `postgresql`. A path stands for one store in both.
package enum TestStores {
    /// Whether the stores are in PostgreSQL.
    package static let arePostgreSQL = ProcessInfo.processInfo.environment["DUALGAUGE_TEST_STORE"] == "postgresql"

    /// The place of the store of a path: the folder, or a schema whose name follows from the path. The schema ends with the tests' server.
    package static func location(_ path: String) throws -> StoreLocation {
        arePostgreSQL ? try postgreSQL(path) : .folder(path)
    }

    /// The schema in the tests' PostgreSQL whose name follows from a path.
    package static func postgreSQL(_ path: String) throws -> StoreLocation {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in path.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return try StoreLocation(try TestPostgreSQL.url()).named("t" + String(hash, radix: 16))
    }

    /// The same store in the tests' PostgreSQL, reached through a proxy.
    package static func location(of store: StoreLocation, by proxy: PostgreSQLProxy) throws -> StoreLocation {
        let host = proxy.folder.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        return try StoreLocation("postgres://dualgauge@/postgres?host=\(host)").named(store.name)
    }

    /// A proxy in front of the tests' PostgreSQL, which has to be their own.
    package static func proxy() throws -> PostgreSQLProxy {
        let host = URLComponents(string: try TestPostgreSQL.url())?.queryItems?.first { $0.name == "host" }?.value
        return try PostgreSQLProxy(to: (host ?? "") + "/.s.PGSQL.5432")
    }

    /// Opens the store of a path, and creates it if it is missing.
    package static func open(_ path: String, createsIfMissing: Bool = true) async throws -> any StoreEngine {
        try await location(path).open(StoreOptions(createsIfMissing: createsIfMissing))
    }
}
