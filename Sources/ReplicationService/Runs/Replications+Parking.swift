import Gateway
package import Storage

extension Replications {
    /// How many parked revisions are tried again at once.
    static let maximumTries = 1_000

    /// What came of a parked revision that was tried again.
    package struct Retried: Sendable {
        package enum Outcome: String, Sendable {
            /// It has got through, or was overtaken: it is no longer parked.
            case done
            case refused
            /// It was not tried, or nothing was said of it.
            case untried
        }

        package let revision: ParkedRevision
        package let outcome: Outcome

        /// Why, in words; `nil` if it is done.
        package let reason: String?
    }

    /// Tries parked revisions again, those first that were not tried for the longest time.
    package func tryParkedAgain(_ selection: ParkedSelection) async throws -> [Retried] {
        let parked = try await database.parked(selection, by: .longestUntried, limit: Self.maximumTries).revisions
        try await database.releaseOvertaken(selection)
        var failures: [String: String] = [:]
        for (name, revisions) in Dictionary(grouping: parked, by: \.replication) {
            guard let run = try? run(name) else {
                failures[name] = "there is no replication \(name); forget its revisions, or set it up again"
                continue
            }
            do {
                try await run.tryAgain(revisions)
            } catch {
                failures[name] = "\(error)"
            }
        }
        let now = try await database.parked(parked.map(\.key))
        return zip(parked, now).map { before, now in
            guard let now else { return Retried(revision: before, outcome: .done, reason: nil) }
            guard now.attempts == before.attempts else { return Retried(revision: now, outcome: .refused, reason: now.reason) }
            let reason = failures[before.replication] ?? "the other side said nothing of it"
            return Retried(revision: now, outcome: .untried, reason: reason)
        }
    }
}
