package import Storage

/// The progress of a copy.
package struct CopyProgress: Hashable, Sendable {
    package let phase: CopyRecord.Phase
    package let table: String

    /// The rows of the phase, and their bytes.
    package let rows: Int
    package let bytes: Int
}

/// The result of a copy.
package struct CopySummary: Hashable, Sendable {
    /// The rows that were copied for the first time, and their bytes.
    package var rows = 0
    package var bytes = 0

    /// The changes that were made meanwhile and copied afterwards.
    package var changes: Int64 = 0

    /// The time for which writers waited.
    package var pause = Duration.zero

    /// Whether an earlier process had begun the copy.
    package var isResumed = false

    /// Whether there was nothing left to do.
    package var wasDone = false
}
