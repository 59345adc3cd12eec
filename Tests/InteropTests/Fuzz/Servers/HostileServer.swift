import Coordination
import Foundation

/// A server for the bridge's requests: its replies are valid, at the boundaries, wrong, slow, endless or missing.
///
/// It has threads of its own, so that it does not block others.
final class HostileServer: Sendable {
    private struct State {
        var isEnded = false
        var accepted = 0
        var open: Set<Int32> = []
    }

    let port: Int
    private let listener: Int32
    private let state = Lock(State())

    /// The maximal number of connections. The replications and logins of one bridge need fewer.
    private static let limit = 200

    init() throws {
        (listener, port) = try RawSocket.listen()
        Thread.detachNewThread { [self] in accept() }
    }

    /// Its addresses as an old server and as a new server.
    var remotes: [String] { ["http://127.0.0.1:\(port)/x", "ws://127.0.0.1:\(port)/x"] }

    /// Its addresses as a verifier of tokens.
    var ofTokens: [String] { ["http://127.0.0.1:\(port)/x/keys", "http://127.0.0.1:\(port)/x/token"] }

    /// The number of connections that the bridge has opened.
    var accepted: Int { state.withLock { $0.accepted } }

    var isEnded: Bool { state.withLock { $0.isEnded } }

    /// Closes the port and all connections.
    func end() {
        state.withLock { state in
            state.isEnded = true
            for descriptor in state.open { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
        shutdown(listener, Int32(SHUT_RDWR))
    }

    private func accept() {
        while true {
            let client = Foundation.accept(listener, nil, nil)
            let number = state.withLock { state -> Int? in
                guard client >= 0, !state.isEnded, state.open.count < Self.limit else { return nil }
                state.accepted += 1
                state.open.insert(client)
                return state.accepted
            }
            if let number {
                Thread.detachNewThread { [self] in serve(client, number) }
                continue
            }
            if client >= 0 { Foundation.close(client) }
            if isEnded {
                Foundation.close(listener)
                return
            }
        }
    }

    private func serve(_ descriptor: Int32, _ number: Int) {
        let socket = FuzzSocket(descriptor)
        var connection = HostileConnection(socket, number, of: self)
        connection.play()
        // After the close the descriptor may belong to another connection.
        state.withLock { _ = $0.open.remove(descriptor) }
    }
}
