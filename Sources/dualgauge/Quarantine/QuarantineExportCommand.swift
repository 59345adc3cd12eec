import ArgumentParser
import Foundation
import Gateway
import Migration
import Scripting

/// `dualgauge quarantine export STORE FILE`.
struct QuarantineExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write the kept documents to a file, one JSON object a line.")

    @Argument(help: "The store's folder.", completion: .directory)
    var store: String

    @Argument(help: "The file, which must not exist yet.", completion: .file())
    var file: String

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let database = try await LocalStore.open(
            store, creating: false, collections: [], ScriptEngine(), output.logger("quarantine"))
        let count: Int
        do {
            count = try await export(from: database)
        } catch {
            try? await database.close()
            throw error
        }
        try await database.close()
        if output.json { try JSONOutput.print(["exported": count]) } else { print("\(count) written to \(file)") }
    }

    private func export(from database: Database) async throws -> Int {
        let handle = try UserFile.create(file)
        do {
            var count = 0
            try await Quarantine(database).each { document, origin in
                count += 1
                try handle.write(contentsOf: Data(QuarantineExport.line(document, origin)))
            }
            try handle.close()
            return count
        } catch {
            UserFile.discard(handle, at: file)
            throw error
        }
    }
}
