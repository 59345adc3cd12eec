import ArgumentParser
import Foundation
import Migration

/// The file of `--report FILE`. Its suffix determines the format.
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

    /// Writes the report. An existing file is replaced only after the new one is complete.
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

/// A report that cannot be written. The run itself is not affected.
struct ReportFileError: Error {
    let message: String
}
