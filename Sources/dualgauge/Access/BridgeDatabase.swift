import ArgumentParser

/// A database of a running bridge.
struct BridgeDatabase: ParsableArguments {
    @Argument(help: ArgumentHelp("The name of a database of a running bridge.", valueName: "db"))
    var database: String

    @OptionGroup(title: "The bridge") var admin: AdminOptions

    func validate() throws {
        _ = try admin.place(of: database)
    }

    /// The way to the database on the admin port.
    ///
    /// - Parameter patience: how many seconds an answer may take.
    func connection(patience: Int64 = RemoteAdminConnection.patience) throws -> RemoteAdminConnection {
        try admin.connection(to: database, patience: patience)
    }
}
