import Access
import Synchronization

/// What is found out about a request on its way, for the log.
final class RequestNote: Sendable {
    private let kept = Mutex<Principal?>(nil)

    /// Who sent it; `nil` as long as nobody has asked.
    var principal: Principal? {
        get { kept.withLock { $0 } }
        set { kept.withLock { $0 = newValue } }
    }
}
