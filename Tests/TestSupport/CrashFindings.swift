import Synchronization

/// What was found in a store each time that something was written. A crash at the moment of such a look would have left just that.
package final class CrashFindings: Sendable {
    private let state = Mutex((last: Int64(0), missing: [String]()))

    package init() {}

    /// - Parameters:
    ///   - last: The sequence that the checkpoint had passed.
    ///   - missing: Documents that it had passed although they had neither arrived nor were parked.
    package func note(_ last: Int64, _ missing: [String]) {
        state.withLock { state in
            state.last = max(state.last, last)
            state.missing += missing
        }
    }

    package var last: Int64 { state.withLock { $0.last } }
    package var missing: [String] { state.withLock { $0.missing } }
}
