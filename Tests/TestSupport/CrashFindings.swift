import Coordination

/// The findings of the inspections of a store after each write, in the state that a crash would leave.
package final class CrashFindings: Sendable {
    private let state = Lock((last: Int64(0), missing: [String]()))

    package init() {}

    /// - Parameters:
    ///   - last: The sequence that the checkpoint has passed.
    ///   - missing: Documents before the checkpoint that have neither arrived nor are parked.
    package func record(_ last: Int64, _ missing: [String]) {
        state.withLock { state in
            state.last = max(state.last, last)
            state.missing += missing
        }
    }

    package var last: Int64 { state.withLock { $0.last } }
    package var missing: [String] { state.withLock { $0.missing } }
}
