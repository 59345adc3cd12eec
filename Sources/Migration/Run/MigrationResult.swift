/// How a run ended: what it did until then, and why it did not go on, if it did not.
public struct MigrationResult: Sendable {
    public var report: MigrationReport

    /// `nil` if the run has come to its end. `CancellationError` if somebody stopped it.
    public var failure: (any Error)?

    /// Where the run ended at the source: what changes there later comes behind it.
    public var cursor: SourceCursor?

    public init(report: MigrationReport, failure: (any Error)? = nil, cursor: SourceCursor? = nil) {
        self.report = report
        self.failure = failure
        self.cursor = cursor
    }
}
