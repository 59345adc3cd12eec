import Access
import Synchronization

/// What is found out about a request on its way, for the log.
final class RequestNote: Sendable {
    private struct State {
        var principal: Principal?
        var administrator: AdminCaller?
    }

    private let state = Mutex(State())

    /// Who sent it; `nil` as long as nobody has asked.
    var principal: Principal? {
        get { state.withLock { $0.principal } }
        set { state.withLock { $0.principal = newValue } }
    }

    /// Who sent it to the admin port.
    var administrator: AdminCaller? {
        get { state.withLock { $0.administrator } }
        set { state.withLock { $0.administrator = newValue } }
    }
}
