import Storage

/// What `check` prints: text for people, an object for programs.
struct CheckOutput: Encodable {
    let sound: Bool
    let documents: Int64
    let attachments: Int64
    let attachmentBytes: Int64
    let problemCount: Int
    let problems: [String]

    init(_ report: CheckReport) {
        sound = report.isSound
        documents = report.documents
        attachments = report.attachments
        attachmentBytes = report.attachmentBytes
        problemCount = report.problemCount
        problems = report.problems.map(\.description)
    }

    var rendered: String {
        let what = "\(documents) documents, \(attachments) attachments of \(attachmentBytes) bytes"
        guard !sound else { return "Sound: \(what)." }
        let rest = problemCount - problems.count
        let more = rest > 0 ? ["and \(rest) more"] : []
        return (["\(problemCount) problems in \(what):"] + problems + more).joined(separator: "\n  ")
    }
}
