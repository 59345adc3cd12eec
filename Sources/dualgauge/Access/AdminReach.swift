import ArgumentParser
import Logging

/// The way to where users, roles and sessions are changed: a running bridge, or a store.
struct AdminReach: ParsableArguments {
    @Option(help: "A store's folder, in place of a running bridge.", completion: .directory)
    var store: String?

    @OptionGroup(title: "The bridge") var admin: AdminOptions

    func validate() throws {
        guard store == nil || !admin.isGiven else {
            throw ValidationError("--admin and --store do not go together: it is a running bridge or a store.")
        }
    }

    /// Whether the command line or the environment says where the accounts are.
    var isGiven: Bool { store != nil || admin.isGiven || AdminOptions.Variable.address.value != nil }

    /// Opens the way to a database, and closes it after `body`.
    ///
    /// - Parameter database: its name; `nil` where the store or the bridge's address says which one it is.
    /// - Throws: `ValidationError` if it is not said which database is meant.
    func connect(to database: String?, _ logger: Logger, _ body: (any AdminConnection) async throws -> Void) async throws {
        guard let store else {
            guard database != nil || isGiven else {
                throw ValidationError(
                    "Say where: DATABASE [--admin http://127.0.0.1:4985] for a running bridge, or --store DATABASE.dualgauge for a store.")
            }
            return try await body(try admin.connection(to: database))
        }
        guard database == nil else { throw ValidationError("--store says which database is meant; leave its name away.") }
        try await LocalAdminConnection.during(store: store, logger, body)
    }
}
