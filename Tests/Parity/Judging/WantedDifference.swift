/// A difference from Sync Gateway that is meant, or that no client feels. docs/parity.md has the same list, with the reasons.
enum WantedDifference: String, CaseIterable {
    /// A notice says that a document is lost; Sync Gateway has three ways to say it, and clients do the same with each.
    case kindsOfLoss = "kinds of loss"

    /// What one may not see is not there: 404. Sync Gateway says 403, or shows a revision without its content.
    case hiddenIsMissing = "hidden is missing"

    /// A document that stays in sight has lost nothing. Sync Gateway names the channels that it has left.
    case departureInSight = "departure in sight"

    /// A row after which the client has what it had: known revisions, and notices of documents that it does not have.
    case rowWithoutEffect = "row without effect"

    /// A client is told of everything that its user has lost, and without revocations of deletions; a Sync Gateway leaves many of these documents with it.
    case lossIsTold = "loss is told"

    /// A client that asks for certain channels may be told of a document that left them before it came, and gets what the document is now. When a channel
    /// was granted decides whether it is told, and a bridge counts grants from the beginning that were made before anybody read.
    case leftBefore = "left before"

    /// A role is made after a document has given it channels. A Sync Gateway counts them from that document, so that a client that has passed it by then never
    /// gets what is in them; a bridge counts them from the role. Where a client asks
    /// for certain channels, a Sync Gateway counts a role's from the role, and a bridge from the time when the user was given it.
    case lateRole = "late role"

    /// A Sync Gateway that is asked for so many active documents counts what has left or was deleted as well, and passes over documents.
    case activeLimit = "limit of active documents"

    /// A branch keeps its attachments, and a replaced revision does for some time; a Sync Gateway loses them.
    case attachmentsOfBranches = "attachments of branches"

    /// The feed of a guest who is disabled ends; a Sync Gateway goes on with it. Who has been given channels gets what is in them by it; a Sync Gateway says
    /// that it is gone.
    case guestFeed = "guest's feed"

    /// A deletion lets a branch win that the sync function refuses from the writer. Sync Gateway 2.8 takes it; 3.2 and the bridge do not.
    case branchRefused = "branch refused"

    /// The deletion of a revision that others have followed is judged with it as `oldDoc`. A Sync Gateway does not have it any more.
    case oldRevision = "old revision"

    /// What is pushed together is one change to a bridge. A Sync Gateway's feed may bring a document between two of them.
    case seenBetween = "seen between"

    /// Branches that come into sight with `*` come to clients that ask for certain channels, too; a Sync Gateway brings them to the others alone.
    case branchesByEverything = "branches by everything"

    /// A row without the difference; `nil` if nothing is left of it. Rows of both sides are asked alike.
    ///
    /// - Parameters:
    ///   - had: what the client had of the document before the row; empty for nothing.
    ///   - has: what it has now.
    func evened(_ row: Observation.Row, had: Set<String>, has: Set<String>) -> Observation.Row? {
        var row = row
        let isFault = !row.answers.isDisjoint(with: ["other", "silence", "no-file"])
        switch self {
        case .hiddenIsMissing:
            row.answers.subtract(["200", "file", "403", "404", "norev", "removed", "deleted"])
            // Of branches, too.
            if !has.isEmpty { row.revisions.formIntersection(has) }
        case .departureInSight: if !has.isEmpty { row.marks = row.marks.filter { !Self.isLoss($0) } }
        case .kindsOfLoss:
            // A client asks for what is deleted and has left as well, and gets the deletion.
            if row.answers.contains("deleted"), !row.marks.contains("revoked") { row.marks = row.marks.filter { !Self.isLoss($0) } }
            if has.isEmpty, !row.marks.contains("deleted") || row.marks.contains(where: Self.isLoss) {
                row.marks = ["lost"]
                row.revisions = []
            } else {
                row.marks = row.marks.filter { !Self.isLoss($0) }
            }
        case .rowWithoutEffect: if had == has, !isFault { return nil }
        // The comparer remembers which documents and clients they are about.
        case .lossIsTold, .leftBefore, .lateRole, .activeLimit, .attachmentsOfBranches, .guestFeed, .branchRefused, .oldRevision,
            .seenBetween, .branchesByEverything:
            break
        }
        return row
    }

    static func isLoss(_ mark: String) -> Bool { mark == "revoked" || mark == "removed" || mark.hasPrefix("removed-") }

    /// An observation without differences.
    ///
    /// - Parameter before: what the client had before.
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
