/// What comparing both sides found.
public struct ReportVerification: Codable, Sendable, Equatable {
    /// Documents that were compared.
    public var compared = 0

    /// Those of them that are the same on both sides.
    public var equal = 0

    /// How long it took.
    public var seconds = 0.0

    /// How many differences there are of each kind.
    public private(set) var kinds: [String: Int] = [:]

    public private(set) var differences = ReportList<ReportDifference>()

    /// Documents that were changed at the source after they had been read: no loss, and the next run brings them.
    public var changedAtSource = ReportOutcome()

    /// Documents that the target alone has, where these are no differences: they were there before, or came from elsewhere.
    public var onlyAtTarget = ReportOutcome()

    public init() {}

    public var isEqual: Bool { differences.count == 0 }

    public mutating func add(_ difference: ReportDifference) {
        kinds[difference.kind.rawValue, default: 0] += 1
        differences.add(difference)
    }
}
