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

/// What came of a step, as the audit has it.
public enum CutoverOutcome: String, Hashable, Sendable, CaseIterable {
    /// The database went to the other stage.
    case taken

    /// A gate has refused it.
    case refused

    /// A hook has stopped it.
    case stopped
}

/// Why a step cannot even be tried.
public struct CutoverError: Error, Hashable, Sendable, CustomStringConvertible {
    public struct Code: Hashable, Sendable {
        let name: String

        /// The database is at the first or the last stage.
        public static let noStep = Code(name: "noStep")
        /// Another stage lies between.
        public static let notNext = Code(name: "notNext")
        /// Gates are to be overridden, and nobody says why.
        public static let reasonMissing = Code(name: "reasonMissing")
        /// Another step is being taken.
        public static let busy = Code(name: "busy")
    }

    public let code: Code

    /// What is wrong, and what to do.
    public let message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}
