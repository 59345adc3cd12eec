import ArgumentParser
import BridgeConfiguration
import Foundation
import Server

/// `dualgauge config import SYNC_GATEWAY.json`, `dualgauge config import --from-server ADMIN_URL`.
struct ConfigImport: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Translate the configuration of a Sync Gateway, of files or of a running server.",
        discussion: """
            Reads configuration files of Sync Gateway 1.x and 2.x, with comments and functions in backquotes, and 3.x startup and \
            database configurations, which may be given together. Users, roles, guest, sync functions, logins and replications become a \
            dualgauge.yaml; passwords become hashes. Functions that are URLs are fetched.

            --from-server reads the running server, including its users and roles. The file then has the settings for a move: \
            `replications.legacy`, `cutover` and `authenticators.upstream`, by which users log in with the passwords that they have.

            Settings that cannot be carried over are named on standard error and in the file, with the reason. Exits with 1 if one of them matters; \
            the file can be used nevertheless.

              dualgauge config import sync_gateway.json --output dualgauge.yaml
              dualgauge config import --from-server http://127.0.0.1:4985 --output dualgauge.yaml
            """)

    @Argument(help: "The configuration files.", completion: .file(extensions: ["json"]))
    var files: [String] = []

    @Option(
        help: ArgumentHelp(
            "The admin port of a running Sync Gateway, in place of files; with user and password if the port requires a login.",
            valueName: "admin-url"))
    var fromServer: String?

    @Option(
        name: .customLong("output"), help: "The file to write, in place of standard output.",
        completion: .file(extensions: ["yaml", "yml"]))
    var target: String?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard files.isEmpty != (fromServer == nil) else {
            throw ValidationError("Name configuration files, or a running server with --from-server http://HOST:4985.")
        }
    }

    func run() async throws {
        let result = try await read()
        if let target { try UserFile.write(result.yaml, to: target, isPrivate: true) }
        if output.json {
            try JSONOutput.print(ImportSummary(result, isWritten: target != nil))
        } else if target == nil {
            print(result.yaml, terminator: "")
        }
        if !output.quiet { StandardStream.errors.write(messages(result)) }
        if result.dropped.contains(where: \.matters) { throw ExitCode(Failure.Code.partial.rawValue) }
    }

    private func read() async throws -> GatewayImport {
        let fileName = target.map { URL(fileURLWithPath: $0).lastPathComponent } ?? "the configuration file"
        return try await GatewayDownload.run(server: fromServer) { transport in
            if let fromServer { return try await GatewayImport.read(server: fromServer, fileName: fileName, transport: transport) }
            let files = try files.map { ($0, try UserFile.read($0, maximum: GatewayImport.maximumSize)) }
            return try await GatewayImport.read(files, fileName: fileName, transport: transport)
        }
    }

    private func messages(_ result: GatewayImport) -> String {
        let head = target.map { ["\($0) is written, readable by you alone, because it has passwords or their hashes."] } ?? []
        let notes = result.notes.map { "check \($0)" }
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

/// The output of `config import --json`.
struct ImportSummary: Encodable {
    let databases: [String]
    let notes: [String]
    let dropped: [GatewayImport.Dropped]

    /// The text of the configuration; `nil` if it was written to a file.
    let configuration: String?

    init(_ result: GatewayImport, isWritten: Bool) {
        databases = result.databases
        notes = result.notes
        dropped = result.dropped
        configuration = isWritten ? nil : result.yaml
    }
}
