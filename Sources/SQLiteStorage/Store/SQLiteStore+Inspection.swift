import Foundation
import GRDB
package import Storage

extension SQLiteStore {
    /// Inspects a store without a migration and without new files.
    ///
    /// - Parameter path: The store's folder.
    /// - Returns: `nil` if there is no store.
    /// - Throws: `StorageError` for a file that is not a store, or whose schema is newer or from before the first release; errors of SQLite for an
    ///   unreadable file.
    package static func inspect(_ path: String) throws -> StoreInspection? {
        guard FileManager.default.fileExists(atPath: file(in: path)) else { return nil }
        var configuration = Configuration()
        configuration.readonly = true
        configuration.label = "inspection"
        let queue = try DatabaseQueue(path: file(in: path), configuration: configuration)
        defer { try? queue.close() }
        return try queue.read { database in
            guard try Schema(path: path).check(database) > 0 else { return nil }
            let connection = try Connection(database, path: path)
            return StoreInspection(
                collections: try connection.all(
                    """
                    SELECT scope, name, coalesce((SELECT live + tombstones FROM document_counts WHERE scope = collections.key), 0)
                    FROM collections ORDER BY key
                    """
                ) { StoreInspection.Collection(scope: $0.text(0), name: $0.text(1), documents: $0.integer(2)) })
        }
    }

    /// Whether there is a store in the folder at `path`.
    package static func exists(at path: String) -> Bool { FileManager.default.fileExists(atPath: file(in: path)) }
}
