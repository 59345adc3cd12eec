import ArgumentParser
import Storage
import Stores

/// The argument of a command that takes a store: a folder, or the address of a PostgreSQL database.
enum StoreArgument {
    static let help: ArgumentHelp =
        "The store: its folder, such as shop.dualgauge, or postgres://USER@HOST/DATABASE?schema=NAME."

    /// The place that an argument names.
    ///
    /// - Throws: `ValidationError` for an address that cannot be read.
    static func location(_ text: String) throws -> StoreLocation {
        do {
            return try StoreLocation(text.hasSuffix("/") && !StoreLocation.isPostgreSQL(text) ? String(text.dropLast()) : text)
        } catch let error as StorageError {
            throw ValidationError(error.message)
        }
    }

    /// Refuses a store in PostgreSQL for a command that copies files.
    static func refuseServer(_ text: String, _ command: String) throws {
        guard StoreLocation.isPostgreSQL(text) else { return }
        throw ValidationError(
            """
            `\(command)` works on a store's folder. Back up a store in PostgreSQL with PostgreSQL's own means, such as `pg_dump --schema=NAME` or \
            `pg_basebackup`, or copy it into a folder with `dualgauge copy`, and back up that.
            """)
    }
}
