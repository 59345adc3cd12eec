import Foundation
package import Migration
package import Storage

/// Compares a database's unified keyspace with its legacy upstream, document by document, while both accept writes.
package struct ParityCheck: Sendable {
    /// Largest number of document IDs listed in messages.
    private static let samples = 5

    /// Largest number of comparisons in one check.
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
    ///   - upstream: The old server; ``run()`` closes it after the comparison.
    ///   - countsExtras: Whether documents that only this database has count as differences. False if only some of its documents are replicated.
    ///   - countsOnlyLosses: Whether only content that the old server alone has counts as a difference; true while nothing is pushed to the old
    ///     server.
    ///   - refusesBranches: Whether the old server stores a single branch, so that losing branches that only this database has are not
    ///     differences.
    ///   - bodies: Progress of earlier body comparisons.
    ///   - limit: Number of further documents whose bodies are compared; `nil` to compare all from the beginning.
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

    /// Compares both sides. A failed comparison is part of the result, because it blocks a step just as a difference does.
    ///
    /// While both sides accept writes, some documents are always in transit. Differences are therefore compared again, and only those that
    /// persist unchanged count.
    ///
    /// - Parameter progress: Called after each batch. The counts begin anew with each repetition.
    package func run(progress: @escaping @Sendable (MigrationProgress) -> Void = { _ in }) async throws -> ParityFindings {
        do {
            var found = try await compare(progress)
            for _ in 1..<Self.runs where !found.differences.isEmpty && !found.isCutShort {
                let again = try await compare(progress)
                let lasting = Set(again.differences.map { key($0) })
                found.compared = again.compared
                found.differences.removeAll { !lasting.contains(key($0)) }
            }
            await upstream.close()
            return ParityFindings(result: result(found), bodies: self.progress(found), differences: found.differences)
        } catch is CancellationError {
            await upstream.close()
            throw CancellationError()
        } catch {
            await upstream.close()
            return ParityFindings(
                result: ParityResult(time: Self.now, failure: (error as? SourceError)?.message ?? "\(error)"), bodies: bodies)
        }
    }

    private struct Comparison {
        var compared: Int
        var differences: [ReportDifference]

        /// Whether the list of differences was truncated. So many differences are not documents in transit.
        let isCutShort: Bool
        let bodies: Int?
        let end: SourceCursor?
        let shownOtherwise: ReportOutcome
    }

    private func compare(_ progress: @escaping @Sendable (MigrationProgress) -> Void) async throws -> Comparison {
        let sample = limit.map { BodySample(limit: $0, after: bodies.cursor.map { SourceCursor(rawValue: $0) }) } ?? .all
        let (report, end) = try await Verification(
            upstream, StoreSource(store, label: name, includesHidden: false), countsOnlyLosses: countsOnlyLosses,
            refusesBranches: refusesBranches, bodies: sample
        ).compare(progress: progress)
        let differences = report.differences.items.filter { countsExtras || $0.kind != .extra }
        return Comparison(
            compared: report.compared, differences: differences, isCutShort: report.differences.count > report.differences.items.count,
            bodies: report.bodies, end: end, shownOtherwise: report.shownOtherwise)
    }

    /// Identity of a difference, including the revisions of both sides.
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

    /// Progress does not advance over differing bodies, so that the next check compares them again.
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

/// The outcome of a ``ParityCheck``.
package struct ParityFindings: Sendable {
    package var result: ParityResult

    /// The updated progress of body comparisons.
    package let bodies: BodyProgress

    /// The documents that differ. There may be more than are listed; see ``ReportList/maximum``.
    package var differences: [ReportDifference] = []
}

/// Result of comparing a database with its legacy upstream.
package struct ParityResult: Codable, Hashable, Sendable {
    /// Time of the comparison, in milliseconds since 1970.
    package var time: Int64

    /// Number of compared documents.
    package var compared: Int

    /// Number of differing documents, by the criteria of the stage's next step.
    package var differing: Int

    /// Number of differing documents by kind of difference: `missing`, `extra`, `winner`, `leaves`, `tombstone`, `body`, `attachments`.
    package var kinds: [String: Int]

    /// IDs of the first differing documents, for messages.
    package var samples: [String]

    /// Number of documents whose bodies and attachments this comparison read.
    package var bodies: Int

    /// Number of documents whose bodies and attachments have been compared in total, including earlier comparisons.
    package var verified: Int

    /// Documents in conflict for which the Sync Gateway itself lists other attachments under the same revision. They do not count as differing.
    package var shownOtherwise: ReportOutcome

    /// Name of the login at the old server; `nil` without a login.
    package var login: String?

    /// Why the comparison failed; `nil` if it succeeded.
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

    /// Age of the comparison in seconds.
    package func age(at now: Int64) -> Int64 { max(0, now - time) / 1_000 }

    /// Whether a step may rely on this result. Otherwise the step compares again; failed and differing results are never reused.
    package func isFresh(at now: Int64) -> Bool {
        failure == nil && differing == 0 && age(at: now) <= GateLimits.parityLifetime
    }
}

/// How far bodies and attachments have been compared with the legacy upstream. A compared document is read again only after it changes.
package struct BodyProgress: Codable, Hashable, Sendable {
    /// The upstream's URL without credentials. Progress is discarded when the upstream changes.
    package let source: String

    /// Position in the upstream's feed at which the last comparison ended; `nil` for the beginning.
    package var cursor: String?

    /// Number of documents compared so far. A document that changes is counted again.
    package var documents: Int

    /// Compared documents for which the upstream itself lists other attachments under the same revision.
    package var shownOtherwise: ReportOutcome

    package init(source: String, cursor: String? = nil, documents: Int = 0, shownOtherwise: ReportOutcome = ReportOutcome()) {
        self.source = source
        self.cursor = cursor
        self.documents = documents
        self.shownOtherwise = shownOtherwise
    }
}
