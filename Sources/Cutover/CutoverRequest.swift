/// A request for a cutover step.
package struct CutoverRequest: Hashable, Sendable {
    /// Longest stored reason, in characters; longer reasons are truncated.
    package static let maximumReason = 1_000

    package let action: CutoverAction

    /// The requested stage; `nil` for the adjacent stage in the action's direction.
    package let target: CutoverStage?

    /// Whether the step is taken even if gates fail.
    package let isForced: Bool
    package let reason: String

    /// Whether the gates are evaluated without taking the step.
    package let isDryRun: Bool

    /// Number of documents whose bodies the comparison reads, instead of ``GateLimits/bodies``.
    package enum Bodies: Hashable, Sendable {
        case all
        case count(Int)
    }

    /// `nil` for the configured limit.
    package let bodies: Bodies?

    /// - Throws: ``CutoverError`` if `isForced` is set without a reason. The audit record requires the reason.
    package init(
        _ action: CutoverAction, to target: CutoverStage? = nil, isForced: Bool = false, reason: String = "", isDryRun: Bool = false,
        bodies: Bodies? = nil
    ) throws(CutoverError) {
        guard !isForced || reason.contains(where: { !$0.isWhitespace }) else {
            throw CutoverError(.reasonMissing, "`force` overrides gates and needs a `reason`, which is recorded with the step.")
        }
        self.action = action
        self.target = target
        self.isForced = isForced
        self.reason = String(reason.prefix(Self.maximumReason))
        self.isDryRun = isDryRun
        self.bodies = bodies
    }
}

/// Outcome of a step, as recorded in the audit log.
package enum CutoverOutcome: String, Hashable, Sendable, CaseIterable {
    /// The database moved to the other stage.
    case taken

    /// A gate refused the step.
    case refused

    /// A hook stopped the step.
    case stopped

    /// The rules for devices were changed, at an unchanged stage.
    case devices

    /// The guard has halted the moves of devices.
    case halted
}

/// Error of a request whose step cannot be attempted.
package struct CutoverError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: Hashable, Sendable {
        /// The database is at the first or the last stage, so the action has no target.
        case noStep
        /// The requested stage is not adjacent.
        case notNext
        /// `isForced` was set without a reason.
        case reasonMissing
        /// Another step is in progress.
        case busy
        /// The rules for devices have another form.
        case badRules
    }

    package let code: Code

    /// The problem and its remedy.
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}
