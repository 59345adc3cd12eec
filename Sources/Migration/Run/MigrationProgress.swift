/// Progress of a run.
package struct MigrationProgress: Sendable, Equatable {
    /// Unit of the counts.
    package enum Unit: Sendable {
        case documents, bytes
    }

    /// A part of the work with its own speed.
    package enum Phase: Sendable {
        /// The source is scanned before it is read.
        case preparing
        /// Documents are read and, except in dry runs, written.
        case running
        /// One side of a comparison is listed.
        case listing
        /// The other side is compared with it.
        case comparing
    }

    /// Units processed so far.
    package let done: Int

    /// Total units, if known.
    package let total: Int?

    /// Units of ``done`` that an earlier process processed.
    package let earlier: Int

    /// Current activity, if it varies: `writing`, `comparing`.
    package let activity: String?

    /// Why the run is throttled or paused.
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
