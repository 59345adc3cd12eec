import Coordination
import Documents

/// The documents of which the client is pushing a revision: the server has requested it, or it was received and is not written yet. Isolated to its
/// session.
///
/// The pull holds back revisions of these documents. An upgraded client would take a version of the revision that its edit follows for a conflict.
final class PendingWrites {
    private var requested: Set<ExactString> = []

    /// The number of received revisions by document.
    private var received: [ExactString: Int] = [:]
    private let changed = Condition()

    /// Whether a revision of the document was requested and has not been received.
    func isRequested(_ id: String) -> Bool {
        !requested.isEmpty && requested.contains(ExactString(id))
    }

    /// Records that revisions are requested.
    ///
    /// - Parameter limit: The maximum number of recorded documents.
    func request(_ ids: [String], limit: Int) {
        for id in ids.prefix(max(0, limit - requested.count)) { requested.insert(ExactString(id)) }
    }

    /// Gives up requested revisions: the client does not have to send them.
    func forgetRequests(of ids: [String]) {
        requested.subtract(ids.map { ExactString($0) })
        changed.notifyAll()
    }

    /// Records a received revision, which ``end(_:)`` has to follow.
    func receive(_ id: String) {
        let id = ExactString(id)
        requested.remove(id)
        received[id, default: 0] += 1
    }

    /// Records that received revisions are written or refused.
    func end(_ ids: [String]) {
        for id in ids.map({ ExactString($0) }) {
            let left = received[id, default: 1] - 1
            received[id] = left > 0 ? left : nil
        }
        changed.notifyAll()
    }

    /// Waits until no revision of these documents is pending.
    func wait(for ids: [String], isolation: isolated (any Actor)? = #isolation) async {
        guard !requested.isEmpty || !received.isEmpty else { return }
        let ids = ids.map { ExactString($0) }
        while ids.contains(where: { received[$0] != nil || requested.contains($0) }) { await changed.wait(isolation: isolation) }
    }
}
