/// What somebody asks for.
public struct CutoverRequest: Hashable, Sendable {
    /// Characters of a reason that are kept.
    public static let maximumReason = 1_000

    public let action: CutoverAction

    /// The stage that is meant; `nil` for the one beside the present.
    public let target: CutoverStage?

    /// Whether gates are overridden.
    public let isForced: Bool
    public let reason: String

    /// Whether it is only looked at what would happen.
    public let isDryRun: Bool

    /// Of how many documents the comparison reads bodies, in place of what the limits say.
    public enum Bodies: Hashable, Sendable {
        case all
        case count(Int)
    }

    /// `nil` for what the limits say.
    public let bodies: Bodies?

    /// - Throws: ``CutoverError`` if gates are to be overridden without a reason, which is what the audit is for.
    public init(
        _ action: CutoverAction, to target: CutoverStage? = nil, isForced: Bool = false, reason: String = "", isDryRun: Bool = false,
        bodies: Bodies? = nil
    ) throws(CutoverError) {
        guard !isForced || reason.contains(where: { !$0.isWhitespace }) else {
            throw CutoverError(.reasonMissing, "`force` overrides gates and needs a `reason`, which is kept with the step.")
        }
        self.action = action
        self.target = target
        self.isForced = isForced
        self.reason = String(reason.prefix(Self.maximumReason))
        self.isDryRun = isDryRun
        self.bodies = bodies
    }
}
