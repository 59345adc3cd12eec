import Foundation
package import Migration
package import Storage

/// Compares a database's unified keyspace with its legacy upstream, document by document, while both go on.
package struct ParityCheck: Sendable {
    /// How many IDs are kept for messages.
    private static let samples = 5

    /// How often both are compared, at most.
    private static let runs = 3

    private let upstream: any MigrationSource
    private let store: any Store
    private let name: String
    private let countsExtras: Bool
    private let countsOnlyLosses: Bool
    private let refusesBranches: Bool
    private let bodies: BodyProgress
    private let limit: Int?

    /// - Parameters:
    ///   - upstream: the old server; is closed after the comparison.
    ///   - countsExtras: Whether documents count that are here alone. They do not where only some of its documents are replicated.
    ///   - countsOnlyLosses: Whether only what the old server alone has counts, as before anything is given to it.
    ///   - keepsOneLine: Whether the old server takes no branches, so that losing ones that are here alone are no differences.
    ///   - bodies: How far bodies were compared before.
    ///   - limit: Of how many documents more they are compared now; `nil` for all, from the beginning.
    package init(
        of store: any Store, named name: String, with upstream: any MigrationSource, countsExtras: Bool, countsOnlyLosses: Bool,
        refusesBranches: Bool = false, bodies: BodyProgress = BodyProgress(source: ""), limit: Int? = nil
    ) {
        self.upstream = upstream
        self.store = store
        self.name = name
        self.countsExtras = countsExtras
        self.countsOnlyLosses = countsOnlyLosses
        self.refusesBranches = refusesBranches
        self.bodies = bodies
        self.limit = limit
    }

    /// Compares both. What keeps it from comparing is part of the result: it is one more reason not to go on.
    ///
    /// While both are written to, there is always something on its way. So what differs is compared again, and counts if it still differs in the
    /// same way.
    ///
    /// - Returns: what was found, and how far bodies have been compared by now.
    package func run() async throws -> (result: ParityResult, bodies: BodyProgress) {
        do {
            var found = try await compare()
            for _ in 1..<Self.runs where !found.differences.isEmpty && !found.isCutShort {
                let again = try await compare()
                let lasting = Set(again.differences.map { key($0) })
                found.compared = again.compared
                found.differences.removeAll { !lasting.contains(key($0)) }
            }
            await upstream.close()
            return (result(found), progress(found))
        } catch is CancellationError {
            await upstream.close()
            throw CancellationError()
        } catch {
            await upstream.close()
            return (ParityResult(time: Self.now, failure: (error as? SourceError)?.message ?? "\(error)"), bodies)
        }
    }

    private struct Comparison {
        var compared: Int
        var differences: [ReportDifference]

        /// Whether there are more than are listed; then nothing on its way explains them.
        let isCutShort: Bool
        let bodies: Int?
        let end: SourceCursor?
        let shownOtherwise: ReportOutcome
    }

    private func compare() async throws -> Comparison {
        let sample = limit.map { BodySample(limit: $0, after: bodies.cursor.map { SourceCursor(rawValue: $0) }) } ?? .all
        let (report, end) = try await Verification(
            upstream, StoreSource(store, label: name, includesHidden: false), countsOnlyLosses: countsOnlyLosses,
            refusesBranches: refusesBranches, bodies: sample
        ).compare()
        let differences = report.differences.items.filter { countsExtras || $0.kind != .extra }
        return Comparison(
            compared: report.compared, differences: differences, isCutShort: report.differences.count > report.differences.items.count,
            bodies: report.bodies, end: end, shownOtherwise: report.shownOtherwise)
    }

    /// What tells a difference from another one, the revisions of both sides included.
    private func key(_ difference: ReportDifference) -> [String] {
        [difference.kind.rawValue, difference.collection, difference.id, difference.detail ?? ""]
    }

    private func result(_ comparison: Comparison) -> ParityResult {
        let differences = comparison.differences
        return ParityResult(
            time: Self.now, compared: comparison.compared, differing: differences.count,
            kinds: Dictionary(differences.map { ($0.kind.rawValue, 1) }, uniquingKeysWith: +),
            samples: differences.prefix(Self.samples).map(\.id), bodies: comparison.bodies ?? comparison.compared,
            verified: progress(comparison).documents, shownOtherwise: progress(comparison).shownOtherwise)
    }

    /// Where bodies differ, they are compared again the next time.
    private func progress(_ comparison: Comparison) -> BodyProgress {
        guard let count = comparison.bodies else {
            return BodyProgress(source: bodies.source, documents: comparison.compared, shownOtherwise: comparison.shownOtherwise)
        }
        guard !comparison.differences.contains(where: { [.body, .attachments].contains($0.kind) }) else { return bodies }
        var next = bodies
        next.cursor = comparison.end?.rawValue
        next.documents += count
        next.shownOtherwise += comparison.shownOtherwise
        return next
    }

    private static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }
}

/// What comparing the database with its legacy upstream found.
package struct ParityResult: Codable, Hashable, Sendable {
    /// When it was done, in milliseconds since 1970.
    package var time: Int64

    /// How many documents were compared.
    package var compared: Int

    /// How many differ by what the step asks for.
    package var differing: Int

    /// The same, by the kind of the difference: `missing`, `extra`, `winner`, `leaves`, `tombstone`, `body`, `attachments`.
    package var kinds: [String: Int]

    /// The first of them, for messages: their IDs.
    package var samples: [String]

    /// Of how many of them bodies and attachments were compared this time.
    package var bodies: Int

    /// The same with those of earlier comparisons.
    package var verified: Int

    /// Documents in conflict of which a Sync Gateway shows other attachments under the same revision by itself. They do not differ.
    package var shownOtherwise: ReportOutcome

    /// Whose login at the old server it was compared with; `nil` if there was none.
    package var login: String?

    /// Why nothing was compared; `nil` if it was.
    package var failure: String?

    package init(
        time: Int64, compared: Int = 0, differing: Int = 0, kinds: [String: Int] = [:], samples: [String] = [], bodies: Int = 0,
        verified: Int = 0, shownOtherwise: ReportOutcome = ReportOutcome(), failure: String? = nil
    ) {
        self.time = time
        self.compared = compared
        self.differing = differing
        self.kinds = kinds
        self.samples = samples
        self.bodies = bodies
        self.verified = verified
        self.shownOtherwise = shownOtherwise
        self.failure = failure
    }

    /// How old it is, in seconds.
    package func age(at now: Int64) -> Int64 { max(0, now - time) / 1_000 }

    /// Whether a step may be taken by it, or has to compare anew. What has failed is always tried again.
    package func isFresh(at now: Int64) -> Bool {
        failure == nil && differing == 0 && age(at: now) <= GateLimits.parityLifetime
    }
}

/// How far bodies and attachments have been compared with those of the legacy upstream. What was compared is not read again until it changes.
package struct BodyProgress: Codable, Hashable, Sendable {
    /// The upstream's URL, without credentials: another one's documents are other documents.
    package let source: String

    /// Where in its feed the last comparison has ended; `nil` for the beginning.
    package var cursor: String?

    /// How many documents were compared so far. What has changed since counts once more.
    package var documents: Int

    /// Those of them of which upstream shows other attachments by itself.
    package var shownOtherwise: ReportOutcome

    package init(source: String, cursor: String? = nil, documents: Int = 0, shownOtherwise: ReportOutcome = ReportOutcome()) {
        self.source = source
        self.cursor = cursor
        self.documents = documents
        self.shownOtherwise = shownOtherwise
    }
}
