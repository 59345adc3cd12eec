import BLIP

/// How a replicator's connection comes to its end.
enum ReplicationEnd: Sendable {
    /// All is done, or it was stopped.
    case done
    /// It was stopped, or all is done, and the server does not answer: nothing more is waited for.
    case unanswered
    /// The server has closed; what it said is known to who opened the connection.
    case closedByPeer
    /// The connection has broken.
    case lost(String)
    case failed(ReplicatorError)
    case violation(BLIPError)

    /// The code to close with; `nil` if there is nothing left to close.
    var closeCode: UInt16? {
        switch self {
        case .done: 1000
        case .closedByPeer, .lost, .unanswered: nil
        case .violation(let error): error.closeCode
        case .failed(let error):
            switch error.code {
            case .httpNotFound: 1000
            case .httpServiceUnavailable: 4001
            default: 4002
            }
        }
    }
}
