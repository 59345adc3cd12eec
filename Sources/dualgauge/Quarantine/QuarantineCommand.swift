import ArgumentParser
import Foundation
import Gateway
import Migration
import Scripting

/// `dualgauge quarantine`.
struct QuarantineCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quarantine", abstract: "Documents that a migration could not write: list, export, try again.",
        discussion: """
            A document with a bad ID, bad JSON, a damaged attachment, one that is too large or that clashes with another is kept in the store with \
            its bytes and the reason. It is removed when a later migration or `retry` writes it. Documents that were written without an attachment, \
            because the source does not have it, are listed here, too.

              dualgauge quarantine list shop.dualgauge
              dualgauge quarantine export shop.dualgauge quarantine.jsonl
              dualgauge quarantine retry shop.dualgauge --routes routes.yaml --from mended.jsonl
            """,
        subcommands: [QuarantineList.self, QuarantineExportCommand.self, QuarantineRetry.self])
}

/// `dualgauge quarantine list STORE`.
struct QuarantineList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the kept documents with the reasons.",
        discussion: """
            Missing attachments of written documents are listed after the kept documents. --json prints a line for each document that is kept, \
            its bytes included, and for each attachment that is missing (`missingAttachment`).
            """)

    @Argument(help: "The store's folder.", completion: .directory)
    var store: String

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let database = try await LocalStore.open(
            store, creating: false, collections: [], ScriptEngine(), output.logger("quarantine"))
        var count = 0
        let isJSON = output.json
        try await Quarantine(database).each(withBytes: isJSON) { document, origin in
            count += 1
            if isJSON {
                StandardStream.output.write(QuarantineExport.line(document, origin))
            } else {
                print(document.line)
            }
        }
        var missing = 0
        try await MissingAttachments(database).each { attachment in
            missing += 1
            if isJSON {
                try JSONOutput.print(["missingAttachment": attachment])
            } else {
                print(
                    "\(attachment.collection) \(ReportFormat.plain(attachment.id)) \(attachment.revision): "
                        + "attachment \"\(ReportFormat.plain(attachment.name))\" is missing (\(attachment.digest ?? "no digest"))")
            }
        }
        if !isJSON { print("\(count) in quarantine" + (missing > 0 ? ", \(missing) attachments missing" : "")) }
        try await database.close()
    }
}

extension QuarantinedDocument {
    /// The document, its position, and the problem.
    var line: String {
        let revision = revision.map { " \(ReportFormat.plain($0))" } ?? ""
        let place = place.isEmpty || place == id ? "" : " (\(place))"
        return "\(collection) \(ReportFormat.plain(id))\(revision)\(place): \(ReportFormat.plain(reason))"
    }
}
