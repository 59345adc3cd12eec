import ArgumentParser
import Documents

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

    @OptionGroup var target: DatabaseTarget

    @Argument(help: ArgumentHelp("The document's ID, as clients of the first two generations know it.", valueName: "id"))
    var id: String

    @Option(help: ArgumentHelp("The ID is that of this collection.", valueName: "scope.name"))
    var collection: String?

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let path =
            "_explain/\(LocalAdminConnection.segment(id))" + (collection.map { "?collection=\(LocalAdminConnection.segment($0))" } ?? "")
        try await target.connect(output.logger("explain")) { try await show($0, path) }
    }

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
