import Foundation
import Gateway
public import Migration
public import Storage

/// Compares a database's unified keyspace with its legacy upstream, document by document, while both go on.
public struct ParityCheck: Sendable {
    /// How many IDs are kept for messages.
    private static let samples = 5

    private let upstream: any MigrationSource
    private let store: any Store
    private let name: String
    private let countsExtras: Bool

    /// - Parameters:
    ///   - upstream: the old server; is closed after the comparison.
    ///   - countsExtras: Whether documents count that are here alone. They do not before anything is given to the old server, and where only
    ///     some of its documents are replicated.
    public init(of store: any Store, named name: String, with upstream: any MigrationSource, countsExtras: Bool) {
        self.upstream = upstream
        self.store = store
        self.name = name
        self.countsExtras = countsExtras
    }

    /// Compares both. What keeps it from comparing is part of the result: it is one more reason not to go on.
    public func run() async throws -> ParityResult {
        do {
            let report = try await Verification(upstream, StoreSource(store, label: name, includesHidden: false)).run()
            await upstream.close()
            return result(report)
        } catch is CancellationError {
            await upstream.close()
            throw CancellationError()
        } catch {
            await upstream.close()
            return ParityResult(time: Self.now, failure: (error as? SourceError)?.message ?? "\(error)")
        }
    }

    private func result(_ report: ReportVerification) -> ParityResult {
        let ignored = countsExtras ? [] : [ReportDifference.Kind.extra.rawValue]
        let kinds = report.kinds.filter { !ignored.contains($0.key) }
        let samples = report.differences.items.lazy.filter { !ignored.contains($0.kind.rawValue) }.prefix(Self.samples).map(\.id)
        return ParityResult(
            time: Self.now, compared: report.compared, differing: kinds.values.reduce(0, +), kinds: kinds, samples: Array(samples))
    }

    private static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }
}
