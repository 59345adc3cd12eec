import ArgumentParser
import Foundation

/// A database of a running bridge.
struct BridgeDatabase: ParsableArguments {
    @Argument(help: ArgumentHelp("A database of a running bridge by its name, or its URL on the admin port.", valueName: "db"))
    var database: String

    @Option(help: ArgumentHelp("The admin port of the bridge, where the database is given by its name.", valueName: "url"))
    var admin = "http://127.0.0.1:4985"

    func validate() throws {
        _ = try connection()
    }

    /// The way to the database on the admin port.
    ///
    /// - Parameter patience: how many seconds an answer may take.
    func connection(patience: Int64 = RemoteAdminConnection.patience) throws -> RemoteAdminConnection {
        if database.contains("://") { return try RemoteAdminConnection(database, patience: patience) }
        let base = admin.hasSuffix("/") ? String(admin.dropLast()) : admin
        return try RemoteAdminConnection("\(base)/\(RemoteAdminConnection.segment(database))", patience: patience)
    }
}
