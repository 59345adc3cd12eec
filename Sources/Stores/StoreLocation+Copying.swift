import Foundation
import PostgreSQLStorage
import SQLiteStorage
package import Storage

extension StoreLocation {
    /// The store as the source of a copy. Blocks.
    ///
    /// - Throws: ``StorageError``.
    package func copySource() throws -> any CopySource {
        switch self {
        case .folder(let path): try SQLiteCopySource(path: Self.absolute(path))
        case .postgreSQL(let location): try PostgreSQLCopySource(url: location.url, schema: try location.foundSchema())
        }
    }

    /// The place as the target of a copy. Blocks.
    ///
    /// - Throws: ``StorageError``.
    package func copyTarget() throws -> any CopyTarget {
        switch self {
        case .folder(let path): SQLiteCopyTarget(path: Self.absolute(path))
        case .postgreSQL(let location): try PostgreSQLCopyTarget(url: location.url, schema: try location.foundSchema())
        }
    }

    /// Marks in stores name the place, whatever the working folder of the next command is.
    private static func absolute(_ path: String) -> String { URL(fileURLWithPath: path).standardizedFileURL.path }
}
