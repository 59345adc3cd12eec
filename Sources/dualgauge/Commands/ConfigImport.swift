import ArgumentParser
import Foundation
import Server

/// `dualgauge config import SYNC_GATEWAY.json`.
struct ConfigImport: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Translate a Sync Gateway configuration.",
        discussion: """
            Reads configuration files of Sync Gateway 1.x and 2.x, with comments and functions in backquotes, and 3.x startup and \
            database configurations, which may be given together. Users, roles, guest, sync functions, logins and replications become a \
            dualgauge.yaml; passwords become hashes.

            What cannot be carried over is named on standard error and in the file, with the reason. Exits with 1 if some of it \
            matters; the file can be used all the same.

              dualgauge config import sync_gateway.json --output dualgauge.yaml
            """)

    @Argument(help: "The configuration files.", completion: .file(extensions: ["json"]))
    var files: [String]

    @Option(
        name: .customLong("output"), help: "The file to write, in place of standard output.",
        completion: .file(extensions: ["yaml", "yml"]))
    var target: String?

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let result = try await GatewayImport.read(try files.map { ($0, try UserFile.read($0, maximum: GatewayImport.maximumSize)) })
        if let target { try UserFile.write(result.yaml, to: target, isPrivate: true) }
        if output.json {
            try JSONOutput.print(ImportSummary(result, isWritten: target != nil))
        } else if target == nil {
            print(result.yaml, terminator: "")
        }
        if !output.quiet { StandardStream.errors.write(told(result)) }
        if result.dropped.contains(where: \.matters) { throw ExitCode(Failure.Code.partial.rawValue) }
    }

    private func told(_ result: GatewayImport) -> String {
        let head = target.map { ["\($0) is written; only you may read it, for it holds hashes of passwords."] } ?? []
        let notes = result.notes.map { "look at \($0)" }
        let dropped = result.droppedLines.map { "not carried over: \($0)" }
        return (head + notes + dropped).map { line in
            line.unicodeScalars.reduce(into: "") { text, scalar in
                let isPlain =
                    scalar == "\n" || scalar.properties.generalCategory != .control && scalar.properties.generalCategory != .format
                text.unicodeScalars.append(isPlain ? scalar : " ")
            } + "\n"
        }.joined()
    }
}
