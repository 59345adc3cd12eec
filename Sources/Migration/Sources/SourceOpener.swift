import Foundation
import SQLiteStorage
import Storage

/// Detects the kind of source at a path and opens it.
package enum SourceOpener {
    private static let sqliteHeader = Array("SQLite format 3\0".utf8)

    /// Opens a Couchbase Lite database or a dump, depending on its content.
    ///
    /// - Parameter path: `NAME.cblite2`, `NAME.cblite`, or a dump, optionally gzip. The name does not matter, but a database's folder must be
    ///   complete, because attachments are stored beside the database file.
    /// - Throws: ``SourceError`` `unreachable`, `unsupported`, `encrypted`, `damaged`; its message contains the remedy.
    package static func open(path: String) throws -> any MigrationSource {
        let path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
            throw SourceError(.unreachable, "\(path): the path does not exist. Check the path.")
        }
        // The file within a database's folder stands for the whole folder.
        let databaseFile = "/db.sqlite3"
        if path.hasSuffix(databaseFile) { return try openFolder(String(path.dropLast(databaseFile.count))) }
        return isDirectory.boolValue ? try openFolder(path) : try openFile(path)
    }

    private static func openFolder(_ path: String) throws -> any MigrationSource {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        if names.contains("db.sqlite3") {
            return try openDatabase(
                "\(path)/db.sqlite3", label: path, folders: ["\(path)/attachments"], modernFolders: ["\(path)/Attachments"])
        }
        if names.contains(where: { $0.hasPrefix("db.forest") }) {
            throw SourceError(
                .unsupported,
                "\(path): the database has ForestDB storage, which can be read by Couchbase Lite only. Open it once with an app that uses "
                    + "Couchbase Lite 1.4 with storageType SQLite, which converts it, or let the app replicate with the bridge.")
        }
        throw SourceError(.unsupported, "\(path): the folder is not a Couchbase Lite database: it has no db.sqlite3. Check the path.")
    }

    private static func openFile(_ path: String) throws -> any MigrationSource {
        let head = try DumpFile.head(of: path)
        if head.starts(with: sqliteHeader) {
            // File layout of 1.0 on iOS and on Java.
            let name =
                path.hasSuffix(".cblite") || path.hasSuffix(".touchdb") ? String(path[..<(path.lastIndex(of: ".") ?? path.endIndex)]) : path
            return try openDatabase(path, label: path, folders: ["\(name) attachments", "\(name)/attachments"], modernFolders: [])
        }
        guard !path.hasSuffix(".cblite"), !path.hasSuffix(".sqlite3") else { throw encrypted(path) }
        return try DumpSource(path: path)
    }

    private static func openDatabase(
        _ file: String, label: String, folders: [String], modernFolders: [String]
    ) throws -> any MigrationSource {
        let head = try DumpFile.head(of: file)
        guard head.count >= 16 else {
            throw SourceError(.damaged, "\(label): \(file) has only \(head.count) bytes. Take another copy of the database.")
        }
        guard head.starts(with: sqliteHeader) else { throw encrypted(label) }
        let database = try SourceDatabase(file: file, label: label)
        do {
            let tables = try tableNames(database, label: label)
            if LegacySchema.recognizes(tables) {
                return try LegacyDatabaseSource(
                    label: label, database: database, tables: tables, blobs: BlobFolder(folders, naming: .hexadecimal))
            }
            guard tables.isSuperset(of: ["kv_default", "kv_info"]) else {
                throw SourceError(.unsupported, "\(label): a SQLite database, but not one of Couchbase Lite. Check the path.")
            }
            return try ModernDatabaseSource(
                label: label, database: database, tables: tables, blobs: BlobFolder(modernFolders, naming: .base64))
        } catch {
            database.close()
            throw error
        }
    }

    private static func tableNames(_ database: SourceDatabase, label: String) throws -> Set<String> {
        do {
            return try database.read { connection in
                Set(try connection.all("SELECT name FROM sqlite_master WHERE type = 'table'") { $0.text(0) })
            }
        } catch {
            throw SourceError(.damaged, "\(label): the list of the database's tables is damaged. Take another copy.", cause: error)
        }
    }

    private static func encrypted(_ path: String) -> SourceError {
        SourceError(
            .encrypted,
            "\(path): the database is encrypted, or damaged at its beginning. Let an app that has the key remove it (changeEncryptionKey to none) "
                + "and read that database, or let the app replicate with the bridge.")
    }
}
