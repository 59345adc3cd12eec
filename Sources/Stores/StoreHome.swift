import Coordination
import Foundation
import PostgreSQLStorage
import Storage

/// The place of the stores of databases that are made on the admin port: a folder, or a PostgreSQL database with a schema for each.
package enum StoreHome: Hashable, Sendable {
    /// The path of a folder.
    case folder(String)
    case postgreSQL(PostgreSQLLocation)

    /// The suffix of a store's folder.
    private static let suffix = ".dualgauge"

    /// Reads a path, or the address of a PostgreSQL database.
    ///
    /// - Throws: ``StorageError`` `invalidArgument` for a URL that cannot be read, or that names a schema.
    package init(_ text: String) throws {
        guard case .postgreSQL(let location) = try StoreLocation(text) else {
            self = .folder(text)
            return
        }
        guard location.schema == nil else {
            throw StorageError(
                .invalidArgument, "\(location): each database has a schema of its own here. Leave `schema=` out of the address.")
        }
        self = .postgreSQL(location)
    }

    /// Whether bridges on other machines may create stores here.
    package var isShared: Bool { if case .postgreSQL = self { true } else { false } }

    /// The place of a database's store.
    package func store(named name: String) -> StoreLocation {
        switch self {
        case .folder(let path): .folder("\(path)/\(name)\(Self.suffix)")
        case .postgreSQL(let location): .postgreSQL(location.with(schema: name))
        }
    }

    /// The names of the stores, sorted. A folder that does not exist has none.
    ///
    /// - Throws: ``StorageError`` for a server that cannot be reached.
    package func names() async throws -> [String] {
        switch self {
        case .folder: return localNames
        case .postgreSQL(let location): return try await onNewThread { try PostgreSQLStore.schemas(url: location.url) }
        }
    }

    /// The names of the stores in the folder, sorted; none for a PostgreSQL database.
    package var localNames: [String] {
        guard case .folder(let path) = self else { return [] }
        let files = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return files.filter { $0.hasSuffix(Self.suffix) }.map { String($0.dropLast(Self.suffix.count)) }.sorted()
    }

    /// Creates the folder if it is missing.
    package func prepare() throws {
        guard case .folder(let path) = self else { return }
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }
}

extension StoreHome: CustomStringConvertible {
    /// The path, or the URL without its password.
    package var description: String {
        switch self {
        case .folder(let path): path
        case .postgreSQL(let location): location.description
        }
    }
}
