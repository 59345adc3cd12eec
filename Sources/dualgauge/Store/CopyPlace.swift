import ArgumentParser
import Foundation
import PostgreSQLStorage
import SQLiteStorage
import Storage
import StoreCopy

/// An end of a copy as the user names it: a store's folder, or `postgres://...?schema=NAME`.
enum CopyPlace: Hashable, Sendable {
    case folder(String)
    case postgreSQL(url: String, schema: String)

    /// - Throws: `ValidationError` for a URL without a schema.
    init(_ text: String) throws {
        guard text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") else {
            // Marks in stores name the place, whatever the present folder of the next command is.
            self = .folder(URL(fileURLWithPath: text).standardizedFileURL.path)
            return
        }
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var parameters = parts.count > 1 ? parts[1].split(separator: "&").map(String.init) : []
        guard let index = parameters.firstIndex(where: { $0.hasPrefix("schema=") }) else {
            throw ValidationError(
                "the address of a store in PostgreSQL needs its schema: add ?schema=NAME, such as \(parts[0])?schema=shop")
        }
        let name = parameters.remove(at: index).dropFirst("schema=".count)
        let query = parameters.isEmpty ? "" : "?" + parameters.joined(separator: "&")
        self = .postgreSQL(url: parts[0] + query, schema: name.removingPercentEncoding ?? String(name))
    }

    /// Opens the store for reading it and for its marks. Blocks.
    func source() throws -> any CopySource {
        switch self {
        case .folder(let path): try SQLiteCopySource(path: path)
        case .postgreSQL(let url, let schema): try PostgreSQLCopySource(url: url, schema: schema)
        }
    }

    func target() throws -> any CopyTarget {
        switch self {
        case .folder(let path): SQLiteCopyTarget(path: path)
        case .postgreSQL(let url, let schema): try PostgreSQLCopyTarget(url: url, schema: schema)
        }
    }
}
