import Foundation
import GRDB

/// A look into a store that changes nothing in it: no schema is brought up to date, and no file is made.
public struct StoreInspection: Sendable {
    /// A collection, and how many documents it has, tombstones included.
    public struct Collection: Hashable, Sendable {
        public let scope: String
        public let name: String
        public let documents: Int64
    }

    public let collections: [Collection]

    /// - Parameter path: the store's folder.
    /// - Returns: `nil` if there is no store.
    /// - Throws: `StorageError` for a file that is no store or one of a newer program, and what SQLite throws where it cannot be read.
    public static func read(_ path: String) throws -> StoreInspection? {
        guard FileManager.default.fileExists(atPath: SQLiteStore.file(in: path)) else { return nil }
        var configuration = Configuration()
        configuration.readonly = true
        configuration.label = "inspection"
        let queue = try DatabaseQueue(path: SQLiteStore.file(in: path), configuration: configuration)
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
                ) { Collection(scope: $0.text(0), name: $0.text(1), documents: $0.integer(2)) })
        }
    }
}
