import ArgumentParser
import Logging

/// Whose users, roles and sessions are meant: those of a database of a running bridge, or those of a store.
struct AdminEndpoint: ParsableArguments {
    @Argument(help: ArgumentHelp("The name of a database of a running bridge; with --store there is none.", valueName: "database"))
    var database: String?

    @OptionGroup var reach: AdminReach

    /// Opens the way there, and closes it after `body`.
    ///
    /// - Throws: `ValidationError` if it is not said which database is meant.
    func connect(_ logger: Logger, _ body: (any AdminConnection) async throws -> Void) async throws {
        try await reach.connect(to: database, logger, body)
    }
}
