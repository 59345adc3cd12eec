import ArgumentParser
import BridgeConfiguration
import Logging
import Server
import Stores

/// A database of a running bridge, or a store.
struct DatabaseTarget: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "The name of a database of a running bridge, or a store's folder, such as shop.dualgauge.", valueName: "database"))
    var database: String

    @OptionGroup(title: "The bridge") var admin: AdminOptions

    private var isURL: Bool { database.contains("://") && !StoreLocation.isPostgreSQL(database) }
    private var isStore: Bool {
        StoreLocation.isPostgreSQL(database) || !isURL && (database.hasSuffix(".dualgauge") || database.contains("/"))
    }

    /// The name of the database or the store.
    var name: String {
        if StoreLocation.isPostgreSQL(database) { return (try? StoreLocation(database).name) ?? "store" }
        let last = database.split(separator: "/").last.map(String.init) ?? database
        return isStore && last.hasSuffix(".dualgauge") ? String(last.dropLast(".dualgauge".count)) : last
    }

    func validate() throws {
        guard !database.isEmpty else { throw ValidationError("Name the database: its name or its store's folder.") }
        if isStore {
            guard !admin.isGiven else {
                throw ValidationError("\(try StoreArgument.location(database)) is a store, which needs no --admin.")
            }
        } else {
            _ = try admin.place(of: database)
        }
    }

    /// Connects to the database, and closes the connection after `body`.
    func connect<Value: Sendable>(_ logger: Logger, _ body: (any AdminConnection) async throws -> Value) async throws -> Value {
        guard isStore else { return try await body(try admin.connection(to: database)) }
        return try await LocalAdminConnection.during(store: database, logger, body)
    }
}

/// A database of a running bridge.
struct BridgeDatabase: ParsableArguments {
    @Argument(help: ArgumentHelp("The name of a database of a running bridge.", valueName: "database"))
    var database: String

    @OptionGroup(title: "The bridge") var admin: AdminOptions

    func validate() throws {
        _ = try admin.place(of: database)
    }

    /// A connection to the database on the admin port.
    ///
    /// - Parameter timeout: the time limit for a reply, in seconds.
    func connection(timeout: Int64 = RemoteAdminConnection.timeout) throws -> RemoteAdminConnection {
        try admin.connection(to: database, timeout: timeout)
    }
}
