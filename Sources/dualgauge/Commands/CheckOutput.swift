import Storage

/// What `check` prints: text for people, an object for programs.
struct CheckOutput: Encodable {
    let sound: Bool
    let documents: Int64
    let misplaced: Int64
    let qualified: Int64
    let attachments: Int64
    let attachmentBytes: Int64
    let problemCount: Int
    let problems: [String]

    init(_ report: CheckReport) {
        sound = report.isSound
        documents = report.documents
        misplaced = report.misplaced
        qualified = report.qualified
        attachments = report.attachments
        attachmentBytes = report.attachmentBytes
        problemCount = report.problemCount
        problems = report.problems.map(\.description)
    }

    var rendered: String {
        let notes =
            (misplaced > 0 ? ["\(misplaced) misplaced"] : []) + (qualified > 0 ? ["\(qualified) under qualified legacy IDs"] : [])
        let documents = "\(documents) documents" + (notes.isEmpty ? "" : " (\(notes.joined(separator: ", ")))")
        let what = "\(documents), \(attachments) attachments of \(attachmentBytes) bytes"
        guard !sound else { return "Sound: \(what)." }
        let rest = problemCount - problems.count
        let more = rest > 0 ? ["and \(rest) more"] : []
        return (["\(problemCount) problems in \(what):"] + problems + more).joined(separator: "\n  ")
    }
}
