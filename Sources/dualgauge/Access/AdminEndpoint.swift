import ArgumentParser
import Foundation
import Logging
import Server

/// Where users, roles and sessions are changed: a running bridge's admin port, or a store.
struct AdminEndpoint: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The admin port of a running bridge, with the database's name as its path.", valueName: "url"))
    var admin: String?

    @Option(help: "A store's folder, in place of a running bridge.", completion: .directory)
    var store: String?

    func validate() throws {
        guard (admin == nil) != (store == nil) else {
            throw ValidationError("Say where: either --admin http://127.0.0.1:4985/DATABASE or --store DATABASE.dualgauge.")
        }
    }

    /// Opens the way there, and closes it after `body`.
    func connect(_ logger: Logger, _ body: (any AdminConnection) async throws -> Void) async throws {
        if let admin {
            try await body(try RemoteAdminConnection(admin))
        } else if let store {
            let local = try await LocalAdmin.open(store: store, logger: logger)
            do {
                try await body(LocalAdminConnection(admin: local))
            } catch {
                try await local.close()
                throw error
            }
            try await local.close()
        }
    }
}
