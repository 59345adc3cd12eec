import ArgumentParser
import Documents

/// `dualgauge explain DB ID`.
struct Explain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show one document in every view: its places, its revisions, its channels, and the clients that have it.",
        discussion: """
            DATABASE is the name of a database of a running bridge, or a store's folder.

              dualgauge explain shop order::17
              dualgauge explain shop 17 --collection sales.orders --json
              dualgauge explain ./shop.dualgauge order::17

            Exit codes: 0 shown, 2 there is no such document, database or collection, 3 the bridge or the store cannot be reached.
            """)

    @OptionGroup var target: DatabaseTarget

    @Argument(help: ArgumentHelp("The document's ID, as clients of generations 1 and 2 see it.", valueName: "id"))
    var id: String

    @Option(help: ArgumentHelp("Take the ID as the ID in this collection.", valueName: "scope.name"))
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
        } catch let error as AdminRefusal where error.code == .missing {
            throw UserFileError(message: "there is no document `\(id)`\(collection.map { " in \($0)" } ?? ""); is the ID right?")
        }
        try AccountAction.show(json, output, text: ExplanationText(json).rendered)
    }
}

/// Formats the views of a document for a terminal.
struct ExplanationText {
    private let json: JSONValue

    init(_ json: JSONValue) {
        self.json = json
    }

    var rendered: String {
        var facts = TextTable(["what", "value"])
        facts.add(["lives in", "\(text("collection")), as \(text("id"))"])
        facts.add(["legacy ID", json["legacyID"]?.string ?? "none: legacy clients do not see it"])
        facts.add(["winner", text("winner") + (json["deleted"]?.bool == true ? ", deleted" : "")])
        facts.add(["changed", text("modified")])
        if let expires = json["expires"]?.string { facts.add(["expires", expires]) }
        facts.add(["unified sequence", json["sequence"]?.int.map(String.init) ?? "none"])
        facts.add(["collection sequence", number(json["collectionSequence"])])
        facts.add(["channels", channels])
        facts.add(["upstream", upstream])
        facts.add(["clients", clients])
        return [facts.rendered, "", revisions, attachments, behind].compactMap { $0 }.joined(separator: "\n")
    }

    private var revisions: String {
        var table = TextTable(["revision", "parent", "state", "body"])
        for revision in json["revisions"]?.array ?? [] {
            let states = [
                ("winner", revision["winner"]?.bool), ("leaf", revision["leaf"]?.bool), ("deleted", revision["deleted"]?.bool),
            ].filter { $0.1 == true }.map(\.0)
            table.add([
                revision["rev"]?.string ?? "", revision["parent"]?.string ?? "", states.joined(separator: ", "),
                revision["body"]?.bool == true ? "kept" : "",
            ])
        }
        return table.rendered
    }

    private var attachments: String? {
        let attachments = json["attachments"]?.array ?? []
        guard !attachments.isEmpty else { return nil }
        var table = TextTable(["attachment", "bytes", "type", "digest"])
        for attachment in attachments {
            table.add([
                attachment["name"]?.string ?? "", number(attachment["length"]), attachment["contentType"]?.string ?? "",
                attachment["digest"]?.string ?? "",
            ])
        }
        return "\n" + table.rendered
    }

    private var behind: String? {
        let clients = json["clients"]?["behind"]?.array ?? []
        guard !clients.isEmpty else { return nil }
        var table = TextTable(["behind", "generation", "client", "at", "last seen"])
        for client in clients {
            let user = client["user"]?.string ?? ""
            table.add([
                user.isEmpty ? "(guest)" : user, number(client["generation"]), client["agent"]?.string ?? "", number(client["position"]),
                client["lastSeen"]?.string ?? "",
            ])
        }
        return "\n" + table.rendered
    }

    private var channels: String {
        let all = (json["channels"]?.array ?? []).filter { $0["leftWith"]?.string == nil }.compactMap { $0["name"]?.string }
        return all.isEmpty ? "none" : all.joined(separator: ", ")
    }

    private var upstream: String {
        guard let server = json["upstream"]?["server"]?.string else { return "no feed of an old server is known" }
        return json["upstream"]?["hasIt"]?.bool == true ? "\(server) has the present state" : "\(server) has not sent the present state"
    }

    private var clients: String {
        let behind = json["clients"]?["behind"]?.array?.count ?? 0
        return "\(number(json["clients"]?["caughtUp"])) have it, \(behind) behind, \(number(json["clients"]?["unknown"])) unknown"
    }

    private func text(_ key: String) -> String { json[key]?.string ?? "" }
    private func number(_ value: JSONValue?) -> String { value?.int.map(String.init) ?? "" }
}
