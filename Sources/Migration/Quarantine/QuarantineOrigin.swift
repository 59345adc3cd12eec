import Storage

/// Where something in the quarantine came from.
public struct QuarantineOrigin: Sendable, Equatable {
    /// The source, as messages call it.
    public let source: String

    /// When it was kept.
    public let time: ReportTime

    init(_ record: QuarantineRecord) {
        source = record.source
        time = ReportTime(seconds: record.modified / 1000)
    }
}
