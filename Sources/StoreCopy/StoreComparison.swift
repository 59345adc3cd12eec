package import Storage

/// Compares two stores row by row, as they are at one moment each.
package struct StoreComparison {
    private let source: any CopySource
    private let target: any CopyTarget
    private let isCancelled: () -> Bool
    private let progress: (CopyProgress) -> Void

    package init(
        _ source: any CopySource, _ target: any CopyTarget, isCancelled: @escaping () -> Bool = { false },
        progress: @escaping (CopyProgress) -> Void = { _ in }
    ) {
        self.source = source
        self.target = target
        self.isCancelled = isCancelled
        self.progress = progress
    }

    /// Blocks.
    ///
    /// - Throws: ``StoreCopyError`` `incomplete` without a store in the target; errors of reading; `CancellationError`.
    package func run() throws -> RowComparison {
        guard case .store = try target.content() else {
            throw StoreCopyError(
                .incomplete, "\(target.place): there is no complete store to compare. Copy it first, without --verify-only.")
        }
        var comparison = RowComparison()
        try source.withSnapshot { first in
            try target.withSnapshot { second in
                comparison.add(RowDifference.values(try first.values(), try second.values()))
                for table in CopiedTable.all {
                    _ = try comparison.compare(try first.rows(of: table, after: nil), try second.rows(of: table, after: nil)) { place in
                        if isCancelled() { throw CancellationError() }
                        progress(CopyProgress(phase: .verifying, table: table.name, rows: place.rows, bytes: place.bytes))
                        return true
                    }
                }
            }
        }
        return comparison
    }
}
