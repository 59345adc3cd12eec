import ArgumentParser
import Documents
import Foundation
import Server

/// `dualgauge explain DB ID`.
struct Explain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show one document in every view: its places, its revisions, its channels, who has it.",
        discussion: """
            DB is the name of a database of a running bridge, or a store's folder.

              dualgauge explain shop order::17
              dualgauge explain shop 17 --collection sales.orders --json
              dualgauge explain ./shop.dualgauge order::17

            Exit codes: 0 shown, 2 there is no such document, database or collection, 3 the bridge or the store cannot be reached.
            """)

    @Argument(help: ArgumentHelp("A database's name, or a store's folder.", valueName: "db"))
    var database: String

    @Argument(help: ArgumentHelp("The document's ID, as clients of the first two generations know it.", valueName: "id"))
    var id: String

    @Option(help: ArgumentHelp("The ID is that of this collection.", valueName: "scope.name"))
    var collection: String?

    @Option(help: ArgumentHelp("The bridge's admin port.", valueName: "url"))
    var admin = "http://127.0.0.1:4985"

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let path =
            "_explain/\(LocalAdminConnection.segment(id))" + (collection.map { "?collection=\(LocalAdminConnection.segment($0))" } ?? "")
        guard isStore else {
            let base = admin.hasSuffix("/") ? String(admin.dropLast()) : admin
            return try await show(RemoteAdminConnection("\(base)/\(RemoteAdminConnection.segment(database))"), path)
        }
        let local = try await LocalAdmin.open(store: database, logger: output.logger("explain"))
        do {
            try await show(LocalAdminConnection(admin: local), path)
        } catch {
            try await local.close()
            throw error
        }
        try await local.close()
    }

    private var isStore: Bool { database.contains("/") || database.hasSuffix(".dualgauge") }

    private func show(_ connection: any AdminConnection, _ path: String) async throws {
        let json: JSONValue
        do {
            json = try await connection.ask("GET", path).json
        } catch let error as AdminRefusal where error.status == 404 && error.reason == "missing" {
            throw UserFileError(message: "there is no document `\(id)`\(collection.map { " in \($0)" } ?? ""); is the ID right?")
        }
        try AccountAction.show(json, output, text: ExplanationText(json).rendered)
    }
}
