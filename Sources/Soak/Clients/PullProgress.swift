import Documents
import Synchronization

/// How far a 2.x+ client has pulled. A revision that was announced and has not come by the end of a connection is announced again.
final class PullProgress: Sendable {
    private struct State {
        /// The JSON of the sequence up to which everything has come, and of the last one that was told.
        var reached: String?
        var told: String?
        var missing = 0
    }

    private let state = Mutex(State())

    var since: String? { state.withLock { $0.reached } }

    /// A connection begins.
    func begin() {
        state.withLock { state in
            state.told = state.reached
            state.missing = 0
        }
    }

    func expect(_ rows: [JSONValue]) {
        guard let sequence = rows.last?.array?.first else { return }
        var json: [UInt8] = []
        sequence.append(to: &json)
        let text = String(decoding: json, as: UTF8.self)
        state.withLock { state in
            state.missing += rows.count
            state.told = text
        }
    }

    /// A revision has come, or the word that it cannot.
    func take() {
        state.withLock { state in
            state.missing -= 1
            if state.missing == 0 { state.reached = state.told }
        }
    }
}
