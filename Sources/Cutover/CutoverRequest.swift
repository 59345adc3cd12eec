/// What somebody asks for.
package struct CutoverRequest: Hashable, Sendable {
    /// Characters of a reason that are kept.
    package static let maximumReason = 1_000

    package let action: CutoverAction

    /// The stage that is meant; `nil` for the one beside the present.
    package let target: CutoverStage?

    /// Whether gates are overridden.
    package let isForced: Bool
    package let reason: String

    /// Whether it is only looked at what would happen.
    package let isDryRun: Bool

    /// Of how many documents the comparison reads bodies, in place of what the limits say.
    package enum Bodies: Hashable, Sendable {
        case all
        case count(Int)
    }

    /// `nil` for what the limits say.
    package let bodies: Bodies?

    /// - Throws: ``CutoverError`` if gates are to be overridden without a reason, which is what the audit is for.
    package init(
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
package enum CutoverOutcome: String, Hashable, Sendable, CaseIterable {
    /// The database went to the other stage.
    case taken

    /// A gate has refused it.
    case refused

    /// A hook has stopped it.
    case stopped
}

/// Why a step cannot even be tried.
package struct CutoverError: Error, Hashable, Sendable, CustomStringConvertible {
    package struct Code: Hashable, Sendable {
        let name: String

        /// The database is at the first or the last stage.
        package static let noStep = Code(name: "noStep")
        /// Another stage lies between.
        package static let notNext = Code(name: "notNext")
        /// Gates are to be overridden, and nobody says why.
        package static let reasonMissing = Code(name: "reasonMissing")
        /// Another step is being taken.
        package static let busy = Code(name: "busy")
    }

    package let code: Code

    /// What is wrong, and what to do.
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}
