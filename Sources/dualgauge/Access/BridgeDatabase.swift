import ArgumentParser
import Foundation

/// A database of a running bridge, by its name.
struct BridgeDatabase: ParsableArguments {
    @Argument(help: ArgumentHelp("The database's name on a running bridge.", valueName: "db"))
    var database: String

    @Option(help: ArgumentHelp("The bridge's admin port.", valueName: "url"))
    var admin = "http://127.0.0.1:4985"

    func validate() throws {
        _ = try connection()
    }

    /// The way to the database on the admin port.
    ///
    /// - Parameter patience: how many seconds an answer may take.
    func connection(patience: Int64 = RemoteAdminConnection.patience) throws -> RemoteAdminConnection {
        let base = admin.hasSuffix("/") ? String(admin.dropLast()) : admin
        return try RemoteAdminConnection("\(base)/\(RemoteAdminConnection.segment(database))", patience: patience)
    }
}
