import ArgumentParser
import Foundation
import Storage

/// `dualgauge check STORE`.
struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check a store's integrity: rows, revision trees, bodies and attachments.",
        discussion: "Reads everything and changes nothing. Exits with 1 if something is wrong, and says what and where.")

    @Argument(help: "The store's folder, such as shop.dualgauge.", completion: .directory)
    var store: String

    @OptionGroup var output: OutputOptions

    func run() async throws {
        var options = SQLiteStore.Options()
        options.isReadOnly = true
        let store = try SQLiteStore(path: store, options: options)
        let report = try await store.check()
        try await store.close()
        if output.json {
            try JSONOutput.print(CheckOutput(report))
        } else {
            print(CheckOutput(report).rendered)
        }
        if !report.isSound { throw ExitCode(Failure.Code.partial.rawValue) }
    }
}
