import ArgumentParser
import Logging
import Server

/// Where users, roles and sessions are changed: a database of a running bridge, or a store.
struct AdminEndpoint: ParsableArguments {
    @Argument(help: ArgumentHelp("The name of a database of a running bridge; with --store there is none.", valueName: "database"))
    var database: String?

    @Option(help: "A store's folder, in place of a running bridge.", completion: .directory)
    var store: String?

    @OptionGroup(title: "The bridge") var admin: AdminOptions

    /// The same place, with the database that another argument turned out to be.
    func naming(_ database: String?) -> AdminEndpoint {
        var endpoint = self
        endpoint.database = database
        return endpoint
    }

    func validate() throws {
        guard store == nil || !admin.isGiven else {
            throw ValidationError("--admin and --store do not go together: it is a running bridge or a store.")
        }
    }

    /// Opens the way there, and closes it after `body`.
    ///
    /// - Throws: `ValidationError` if it is not said which database is meant.
    func connect(_ logger: Logger, _ body: (any AdminConnection) async throws -> Void) async throws {
        guard let store else {
            guard database != nil || admin.isGiven || AdminOptions.Variable.address.value != nil else {
                throw ValidationError(
                    "Say where: DATABASE [--admin http://127.0.0.1:4985] for a running bridge, or --store DATABASE.dualgauge for a store.")
            }
            return try await body(try admin.connection(to: database))
        }
        guard database == nil else { throw ValidationError("--store says which database is meant; leave its name away.") }
        try await LocalAdminConnection.during(store: store, logger, body)
    }
}
