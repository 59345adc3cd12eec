import Foundation
import PostgreSQLStorage
import SQLiteStorage
import Storage

/// The place of a store: a folder, or a schema of a PostgreSQL database.
///
/// Only this module knows both engines.
package enum StoreLocation: Hashable, Sendable {
    /// The path of a folder, `NAME.dualgauge`.
    case folder(String)
    case postgreSQL(PostgreSQLLocation)

    /// Reads a path, or a URL that begins with `postgres://` or `postgresql://`.
    ///
    /// - Throws: ``StorageError`` `invalidArgument` for a URL that cannot be read.
    package init(_ text: String) throws {
        self = PostgreSQLLocation.matches(text) ? .postgreSQL(try PostgreSQLLocation(text)) : .folder(text)
    }

    /// Whether a text is the address of a PostgreSQL database.
    package static func isPostgreSQL(_ text: String) -> Bool { PostgreSQLLocation.matches(text) }

    /// Whether bridges on other machines may serve the store, too.
    package var isShared: Bool { if case .postgreSQL = self { true } else { false } }

    /// Whether the location is a folder with this path.
    package func isFolder(_ path: String) -> Bool { self == .folder(path) }

    /// The same place, with a name for its schema unless it has one.
    package func named(_ schema: String) -> StoreLocation {
        guard case .postgreSQL(let location) = self else { return self }
        return .postgreSQL(location.with(schema: schema))
    }

    /// The name of the store without its folder and suffix, for a database that is opened without a configuration.
    package var name: String {
        switch self {
        case .folder(let path): URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
        case .postgreSQL(let location): location.schema ?? "store"
        }
    }

    /// The text by which two locations of one store are equal.
    ///
    /// - Throws: ``StorageError`` `invalidArgument`.
    package func identity() throws -> String {
        switch self {
        case .folder(let path): return Self.resolved(path)
        case .postgreSQL(let location): return try location.place()
        }
    }

    /// The path with symbolic links resolved, as far as it exists.
    private static func resolved(_ path: String) -> String {
        var existing = URL(fileURLWithPath: path).standardizedFileURL
        var rest: [String] = []
        while !FileManager.default.fileExists(atPath: existing.path), existing.pathComponents.count > 1 {
            rest.append(existing.lastPathComponent)
            existing.deleteLastPathComponent()
        }
        return rest.reversed().reduce(existing.resolvingSymlinksInPath()) { $0.appendingPathComponent($1) }.standardizedFileURL.path
    }
}

extension StoreLocation: CustomStringConvertible {
    /// The path, or the URL without its password.
    package var description: String {
        switch self {
        case .folder(let path): path
        case .postgreSQL(let location): location.description
        }
    }
}

extension PostgreSQLLocation {
    /// Checks the address without connecting.
    func check() throws {
        _ = try place()
    }

    /// The hosts, the database and the schema.
    func place() throws -> String {
        try PostgreSQLStore.describe(url: url, schema: schema ?? "public")
    }
}
