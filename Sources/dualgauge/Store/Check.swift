import ArgumentParser
import Foundation
import Storage
import Stores

/// `dualgauge check STORE`.
struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check a store's integrity: rows, revision trees, bodies and attachments.",
        discussion: "Reads everything and changes nothing. Exits with 1 if it finds problems, and prints each with its place.")

    @Argument(help: StoreArgument.help, completion: .directory)
    var store: String

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let store = try await StoreLocation(store).open(StoreOptions(isReadOnly: true))
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

/// The output of `check`: text, or a JSON object with `--json`.
struct CheckOutput: Encodable {
    let sound: Bool
    let documents: Int64
    let misplaced: Int64
    let qualified: Int64
    let attachments: Int64
    let attachmentBytes: Int64
    let missingAttachments: Int64
    let problemCount: Int
    let problems: [String]

    init(_ report: CheckReport) {
        sound = report.isSound
        documents = report.documents
        misplaced = report.misplaced
        qualified = report.qualified
        attachments = report.attachments
        attachmentBytes = report.attachmentBytes
        missingAttachments = report.missingAttachments
        problemCount = report.problemCount
        problems = report.problems.map(\.description)
    }

    var rendered: String {
        let missing = missingAttachments > 0 ? ", \(missingAttachments) attachments without bytes" : ""
        let what = "\(documents) documents\(notes), \(attachments) attachments of \(attachmentBytes) bytes\(missing)"
        guard !sound else { return "Sound: \(what)." }
        let rest = problemCount - problems.count
        let more = rest > 0 ? ["and \(rest) more"] : []
        return (["\(problemCount) problems in \(what):"] + problems + more).joined(separator: "\n  ")
    }

    /// The numbers of misplaced documents and of qualified legacy IDs, which are not problems.
    private var notes: String {
        var notes: [String] = []
        if misplaced > 0 { notes.append("\(misplaced) misplaced") }
        if qualified > 0 { notes.append("\(qualified) under qualified legacy IDs") }
        return notes.isEmpty ? "" : " (\(notes.joined(separator: ", ")))"
    }
}
