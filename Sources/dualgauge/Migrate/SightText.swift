import Gateway

/// Says whose view of the documents a run changes.
struct SightText {
    let report: SightReport
    let isDryRun: Bool

    init(_ report: SightReport, isDryRun: Bool) {
        self.report = report
        self.isDryRun = isDryRun
    }

    var rendered: String {
        guard !report.isEmpty else { return "Every user sees the same documents as before." }
        var lines: [String] = []
        if report.losing.count > 0 {
            lines.append(
                """
                \(users(report.losing)) \(isDryRun ? "would lose" : "lost") sight of documents; \(report.lostDocuments) documents are concerned. Their \
                devices are told to remove them. The sync function of the new collection gives other channels: say the right one under `collections`.
                """)
        }
        if report.gaining.count > 0 {
            lines.append(
                "\(users(report.gaining)) \(isDryRun ? "would see" : "see") \(report.gainedDocuments) documents that they did not see before."
            )
        }
        if report.untold > 0 {
            lines.append("Of \(report.untold) documents it was not worked out: their channels change in too many ways.")
        }
        return lines.joined(separator: "\n")
    }

    private func users(_ users: SightReport.Users) -> String {
        let more = users.count > users.names.count ? ", …" : ""
        return "\(users.count) \(users.count == 1 ? "user" : "users") (\(users.names.joined(separator: ", "))\(more))"
    }
}
