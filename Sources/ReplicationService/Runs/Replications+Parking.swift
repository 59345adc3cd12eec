import Gateway
package import Storage

extension Replications {
    /// The most parked revisions in one retry.
    static let maximumTries = 1_000

    /// The outcome of retrying a parked revision.
    package struct Retried: Sendable {
        package enum Outcome: String, Sendable {
            /// The revision was replicated or superseded; it is not parked any more.
            case done
            case refused
            /// The revision was not tried, or there was no reply about it.
            case untried
        }

        package let revision: ParkedRevision
        package let outcome: Outcome

        /// A description of the reason; `nil` for `done`.
        package let reason: String?
    }

    /// Retries parked revisions, the least recently tried first.
    package func tryParkedAgain(_ selection: ParkedSelection) async throws -> [Retried] {
        let parked = try await database.parked(selection, by: .longestUntried, limit: Self.maximumTries).revisions
        try await database.releaseOvertaken(selection)
        var failures: [String: String] = [:]
        for (name, revisions) in Dictionary(grouping: parked, by: \.replication) {
            guard let run = try? run(name) else {
                failures[name] = "the replication \(name) does not exist; forget its revisions, or configure it again"
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
            let reason = failures[before.replication] ?? "the other side returned no result"
            return Retried(revision: now, outcome: .untried, reason: reason)
        }
    }
}
