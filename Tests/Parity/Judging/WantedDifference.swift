/// An intended difference from Sync Gateway, or one without an effect on clients. docs/parity.md has the same list, with the reasons.
enum WantedDifference: String, CaseIterable {
    /// A lost document: Sync Gateway has three ways to report it, with the same effect on clients.
    case kindsOfLoss = "kinds of loss"

    /// A document that a user may not see is missing: 404. Sync Gateway replies with 403, or with a revision without its content.
    case hiddenIsMissing = "hidden is missing"

    /// A document that stays visible is not lost. Sync Gateway names the channels that it has left.
    case departureInSight = "departure in sight"

    /// A row without an effect on the client: known revisions, and removals of documents that it does not have.
    case rowWithoutEffect = "row without effect"

    /// A bridge reports every loss to a client, and deletions also without revocations; a Sync Gateway leaves many of these documents on the client.
    case lossIsTold = "loss is told"

    /// A client that asks for certain channels may get a document that left them before its first pull, in the present state. It depends on the time
    /// of the grant: for a bridge, grants from before the first reader count from the beginning.
    case leftBefore = "left before"

    /// A role is created after a document has granted it channels. A Sync Gateway counts them from that document, so that a client that has already
    /// passed it never gets their documents; a bridge counts them from the role's creation. Where a client asks for certain channels, a Sync Gateway
    /// counts a role's channels from the role's creation, and a bridge from the time when the user got it.
    case lateRole = "late role"

    /// With a limited request for active documents, a Sync Gateway also counts departed and deleted documents, and leaves out others.
    case activeLimit = "limit of active documents"

    /// A branch keeps its attachments, and a replaced revision does for some time; a Sync Gateway loses them.
    case attachmentsOfBranches = "attachments of branches"

    /// The feed of a disabled guest ends; a Sync Gateway goes on with it. A guest with new channels gets their documents by an open feed; a Sync
    /// Gateway reports these documents as gone.
    case guestFeed = "guest's feed"

    /// A deletion makes a branch win that the sync function refuses from the writer. Sync Gateway 2.8 accepts it; 3.2 and the bridge do not.
    case branchRefused = "branch refused"

    /// The sync function gets a replaced revision as `oldDoc` of its deletion. A Sync Gateway has discarded that revision.
    case oldRevision = "old revision"

    /// Documents of one push are one change for a bridge. A Sync Gateway's feed may show a state between them.
    case seenBetween = "seen between"

    /// Branches that become visible with `*` are also sent to clients that ask for certain channels; a Sync Gateway sends them only to the others.
    case branchesByEverything = "branches by everything"

    /// A row without the difference; `nil` if nothing is left of it. The rows of both servers are treated alike.
    ///
    /// - Parameters:
    ///   - had: the client's revisions of the document before the row; empty for none.
    ///   - has: its revisions after the row.
    func evened(_ row: Observation.Row, had: Set<String>, has: Set<String>) -> Observation.Row? {
        var row = row
        let isFault = !row.answers.isDisjoint(with: ["other", "silence", "no-file"])
        switch self {
        case .hiddenIsMissing:
            row.answers.subtract(["200", "file", "403", "404", "norev", "removed", "deleted"])
            // Also for branches.
            if !has.isEmpty { row.revisions.formIntersection(has) }
        case .departureInSight: if !has.isEmpty { row.marks = row.marks.filter { !Self.isLoss($0) } }
        case .kindsOfLoss:
            // A client requests a deleted and departed revision as well, and gets the deletion.
            if row.answers.contains("deleted"), !row.marks.contains("revoked") { row.marks = row.marks.filter { !Self.isLoss($0) } }
            if has.isEmpty, !row.marks.contains("deleted") || row.marks.contains(where: Self.isLoss) {
                row.marks = ["lost"]
                row.revisions = []
            } else {
                row.marks = row.marks.filter { !Self.isLoss($0) }
            }
        case .rowWithoutEffect: if had == has, !isFault { return nil }
        // The comparer keeps the documents and clients of these differences.
        case .lossIsTold, .leftBefore, .lateRole, .activeLimit, .attachmentsOfBranches, .guestFeed, .branchRefused, .oldRevision,
            .seenBetween, .branchesByEverything:
            break
        }
        return row
    }

    static func isLoss(_ mark: String) -> Bool { mark == "revoked" || mark == "removed" || mark.hasPrefix("removed-") }

    /// An observation without differences.
    ///
    /// - Parameter before: the client's documents before the step.
    static func evened(_ observation: Observation, before: [String: Set<String>]) -> Observation {
        var observation = observation
        observation.rows = observation.rows.compactMapValues { row in
            let (had, has) = (before[row.id] ?? [], observation.held[row.id] ?? [])
            return allCases.reduce(row as Observation.Row?) { row, difference in
                row.flatMap { difference.evened($0, had: had, has: has) }
            }
        }
        return observation
    }
}
