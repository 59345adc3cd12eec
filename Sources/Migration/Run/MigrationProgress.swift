/// How far a run has come.
package struct MigrationProgress: Sendable, Equatable {
    /// What is counted.
    package enum Unit: Sendable {
        case documents, bytes
    }

    /// A part of the work with a pace of its own.
    package enum Phase: Sendable {
        /// The source is looked through before it is read.
        case preparing
        /// Documents are read, and written where they are to be.
        case running
        /// One side of a comparison is listed.
        case listing
        /// The other side is compared with it.
        case comparing
    }

    /// Looked at until now.
    package let done: Int

    /// To be looked at, where that is known.
    package let total: Int?

    /// How many of those that are done were done by an earlier process.
    package let earlier: Int

    /// What is being done, where it is not always the same: `writing`, `comparing`.
    package let activity: String?

    /// Why it goes slower than it could, or stands still.
    package let holdUp: String?
    package let unit: Unit
    package let phase: Phase

    package init(
        done: Int, total: Int?, earlier: Int = 0, activity: String? = nil, holdUp: String? = nil, unit: Unit = .documents,
        phase: Phase = .running
    ) {
        self.done = done
        self.total = total
        self.earlier = earlier
        self.activity = activity
        self.holdUp = holdUp
        self.unit = unit
        self.phase = phase
    }
}
