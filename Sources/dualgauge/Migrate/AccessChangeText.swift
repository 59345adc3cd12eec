import Gateway

/// Formats which users gain or lose access to documents by a run.
struct AccessChangeText {
    let report: AccessChangeReport
    let isDryRun: Bool
    let allowsNewGrants: Bool

    init(_ report: AccessChangeReport, isDryRun: Bool, allowsNewGrants: Bool) {
        self.report = report
        self.isDryRun = isDryRun
        self.allowsNewGrants = allowsNewGrants
    }

    var rendered: String {
        guard !report.isEmpty else { return "Every user sees the same documents as before." }
        var lines: [String] = []
        if report.losing.count > 0 {
            lines.append(
                """
                \(users(report.losing)) \(isDryRun ? "would lose" : "lost") access to documents; \(report.lostDocuments) documents are concerned. \
                The sync function of the new collection gives other channels (set the right function under `collections`; devices remove the \
                documents), or `collection_access` holds there in place of `admin_channels` (devices keep the documents).
                """)
        }
        if report.gaining.count > 0 {
            lines.append(
                "\(users(report.gaining)) \(isDryRun ? "would see" : "see") \(report.gainedDocuments) documents that they did not see before."
            )
        }
        if report.hiddenDocuments > 0 {
            lines.append(
                """
                \(report.hiddenDocuments) documents \(isDryRun ? "would become" : "became") invisible to legacy clients, because their new collection \
                is hidden. Devices keep the copies that they have.
                """)
        }
        if report.regrantingDocuments > 0 {
            lines.append(
                """
                \(report.regrantingDocuments) documents \(isDryRun ? "would give" : "give") other channels or roles than before to \
                \(report.regranted.count) users and roles (\(names(report.regranted))). The documents that these see change accordingly. `access()` \
                of a collection's own function holds in that collection alone; without a function of its own, a collection keeps what the default \
                collection's function gives.
                """)
        }
        if report.newlyGrantingDocuments > 0 { lines += newGrants }
        if report.untold > 0 {
            lines.append("The effect on \(report.untold) documents was not computed: their channels change in too many ways.")
        }
        return lines.joined(separator: "\n")
    }

    private var newGrants: [String] {
        let count = "\(report.newlyGrantingDocuments) documents"
        let way =
            isDryRun
            ? "--allow-new-grants permits it:" : "To permit it, put the documents back (--revert), and run again with --allow-new-grants:"
        let head =
            allowsNewGrants
            ? "\(count) \(isDryRun ? "would newly give" : "newly give") access:"
            : """
            \(count) \(isDryRun ? "would be" : "were") moved without the access that the new collection's function grants, because that function \
            did not check their writers. \(way)
            """
        return [head]
            + report.newGrants.map { given in
                let channels = given.channels.sorted { $0.key < $1.key }.map { "channels \($1.joined(separator: ", ")) of \($0)" }
                let roles = given.roles.isEmpty ? [] : ["roles \(given.roles.joined(separator: ", "))"]
                return "  to \(given.to): \((channels + roles).joined(separator: "; "))"
            }
    }

    private func users(_ users: AccessChangeReport.Users) -> String {
        "\(users.count) \(users.count == 1 ? "user" : "users") (\(names(users)))"
    }

    private func names(_ users: AccessChangeReport.Users) -> String {
        users.names.joined(separator: ", ") + (users.count > users.names.count ? ", …" : "")
    }
}
