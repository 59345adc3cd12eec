import Foundation
import Gateway
public import Migration
public import Storage

/// Compares a database's unified keyspace with its legacy upstream, document by document, while both go on.
public struct ParityCheck: Sendable {
    /// How many IDs are kept for messages.
    private static let samples = 5

    /// How often both are compared, at most.
    private static let runs = 3

    private let upstream: any MigrationSource
    private let store: any Store
    private let name: String
    private let countsExtras: Bool
    private let countsOnlyLosses: Bool

    /// - Parameters:
    ///   - upstream: the old server; is closed after the comparison.
    ///   - countsExtras: Whether documents count that are here alone. They do not where only some of its documents are replicated.
    ///   - countsOnlyLosses: Whether only what the old server alone has counts, as before anything is given to it.
    public init(
        of store: any Store, named name: String, with upstream: any MigrationSource, countsExtras: Bool, countsOnlyLosses: Bool
    ) {
        self.upstream = upstream
        self.store = store
        self.name = name
        self.countsExtras = countsExtras
        self.countsOnlyLosses = countsOnlyLosses
    }

    /// Compares both. What keeps it from comparing is part of the result: it is one more reason not to go on.
    ///
    /// While both are written to, there is always something on its way. So what differs is compared again, and counts if it still differs in the
    /// same way.
    public func run() async throws -> ParityResult {
        do {
            var found = try await compare()
            for _ in 1..<Self.runs where !found.differences.isEmpty && !found.isCutShort {
                let again = try await compare()
                let lasting = Set(again.differences.map { key($0) })
                found.compared = again.compared
                found.differences.removeAll { !lasting.contains(key($0)) }
            }
            await upstream.close()
            return result(found)
        } catch is CancellationError {
            await upstream.close()
            throw CancellationError()
        } catch {
            await upstream.close()
            return ParityResult(time: Self.now, failure: (error as? SourceError)?.message ?? "\(error)")
        }
    }

    private struct Comparison {
        var compared: Int
        var differences: [ReportDifference]

        /// Whether there are more than are listed; then nothing on its way explains them.
        let isCutShort: Bool
    }

    private func compare() async throws -> Comparison {
        let report = try await Verification(
            upstream, StoreSource(store, label: name, includesHidden: false), countsOnlyLosses: countsOnlyLosses
        ).run()
        let differences = report.differences.items.filter { countsExtras || $0.kind != .extra }
        return Comparison(
            compared: report.compared, differences: differences, isCutShort: report.differences.count > report.differences.items.count)
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
            samples: differences.prefix(Self.samples).map(\.id))
    }

    private static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }
}
