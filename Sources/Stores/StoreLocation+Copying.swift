import PostgreSQLStorage
import SQLiteStorage
package import Storage

extension StoreLocation {
    /// The store as the source of a copy. Blocks.
    ///
    /// - Throws: ``StorageError``.
    package func copySource() throws -> any CopySource {
        switch self {
        case .folder(let path): try SQLiteCopySource(path: path)
        case .postgreSQL(let location): try PostgreSQLCopySource(url: location.url, schema: try location.foundSchema())
        }
    }

    /// The place as the target of a copy. Blocks.
    ///
    /// - Throws: ``StorageError``.
    package func copyTarget() throws -> any CopyTarget {
        switch self {
        case .folder(let path): SQLiteCopyTarget(path: path)
        case .postgreSQL(let location): try PostgreSQLCopyTarget(url: location.url, schema: try location.foundSchema())
        }
    }
}
