import ArgumentParser
import Foundation
import Logging
import Server

/// Which database is meant: one of a running bridge, or a store.
struct DatabaseTarget: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "A database of a running bridge by its name, its URL on the admin port, or a store's folder, such as shop.dualgauge.",
            valueName: "db"))
    var database: String

    @Option(help: ArgumentHelp("The admin port of the bridge, where the database is given by its name.", valueName: "url"))
    var admin = "http://127.0.0.1:4985"

    private var isURL: Bool { database.contains("://") }
    private var isStore: Bool { !isURL && (database.hasSuffix(".dualgauge") || database.contains("/")) }

    /// The database's name, as far as it has one.
    var name: String {
        let last = database.split(separator: "/").last.map(String.init) ?? database
        return isStore && last.hasSuffix(".dualgauge") ? String(last.dropLast(".dualgauge".count)) : last
    }

    func validate() throws {
        guard !database.isEmpty else { throw ValidationError("Say which database: its name, its URL or its store's folder.") }
    }

    /// Opens the way there, and closes it after `body`.
    func connect<Value: Sendable>(_ logger: Logger, _ body: (any AdminConnection) async throws -> Value) async throws -> Value {
        guard isStore else {
            let base = admin.hasSuffix("/") ? String(admin.dropLast()) : admin
            return try await body(try RemoteAdminConnection(isURL ? database : "\(base)/\(RemoteAdminConnection.segment(database))"))
        }
        let local = try await LocalAdmin.open(store: database, logger: logger)
        do {
            let value = try await body(LocalAdminConnection(admin: local))
            try await local.close()
            return value
        } catch {
            try? await local.close()
            throw error
        }
    }
}
