import ArgumentParser
import Foundation
import Migration

/// Where `--report FILE` writes to. The suffix says in which form.
struct ReportFile: ExpressibleByArgument {
    enum Form: String, CaseIterable {
        case html, json, txt
    }

    let path: String
    let form: Form

    init?(argument: String) {
        guard let form = Form(rawValue: URL(fileURLWithPath: argument).pathExtension.lowercased()) else { return nil }
        path = argument
        self.form = form
    }

    static var help: ArgumentHelp {
        ArgumentHelp("Write a report to this file: .html for people, .json for programs, .txt as on the terminal.", valueName: "file")
    }

    /// Writes the report. Another file of this name stays whole until the new one is.
    ///
    /// - Throws: ``ReportFileError``.
    func write(_ report: MigrationReport) throws {
        let bytes =
            switch form {
            case .html: Array(ReportPage(report).html.utf8)
            case .json: try report.json(isPretty: true)
            case .txt: Array((ReportText(report).rendered + "\n").utf8)
            }
        do {
            try Data(bytes).write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw ReportFileError(message: "the report cannot be written to \(path); the run itself is done: \(error.localizedDescription)")
        }
    }
}

/// A report that cannot be written. The run that it tells of is not touched by that.
struct ReportFileError: Error {
    let message: String
}
