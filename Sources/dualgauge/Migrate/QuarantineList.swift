import ArgumentParser
import Foundation
import Gateway
import Migration
import Scripting

/// `dualgauge quarantine list STORE`.
struct QuarantineList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Say what is kept, and why. --json prints a line for each, its bytes included.")

    @Argument(help: "The store's folder.", completion: .directory)
    var store: String

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let database = try await LocalStore.open(
            store, creating: false, collections: [], ScriptEngine(), output.logger("quarantine"))
        var count = 0
        let isJSON = output.json
        try await Quarantine(database).each { document, origin in
            count += 1
            if isJSON {
                StandardStream.output.write(QuarantineExport.line(document, origin))
            } else {
                let revision = document.revision.map { " \(ReportFormat.plain($0))" } ?? ""
                print("\(document.collection) \(ReportFormat.plain(document.id))\(revision): \(ReportFormat.plain(document.reason))")
            }
        }
        if !isJSON { print("\(count) in quarantine") }
        try await database.close()
    }
}
