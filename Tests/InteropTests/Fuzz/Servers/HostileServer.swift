import Foundation
import Synchronization

/// A server that the bridge asks: it answers as a real one does, at the boundaries, wrongly, slowly, without an end or not at all.
///
/// Its threads are its own, so that it blocks nobody.
final class HostileServer: Sendable {
    private struct State {
        var isEnded = false
        var accepted = 0
        var open: Set<Int32> = []
    }

    let port: Int
    private let listener: Int32
    private let state = Mutex(State())

    /// More connections than these are refused; a bridge's replications and logins have no reason for as many.
    private static let limit = 200

    init() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        self.listener = listener
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) == 0 && listen(listener, 64) == 0 && getsockname(listener, address, &length) == 0
            }
        }
        port = Int(in_port_t(bigEndian: address.sin_port))
        guard listener >= 0, status else { throw RawSocket.Failure(message: "the hostile server cannot listen: \(errno)") }
        Thread.detachNewThread { [self] in accept() }
    }

    /// The addresses under which it is an old server and a new one.
    var remotes: [String] { ["http://127.0.0.1:\(port)/x", "ws://127.0.0.1:\(port)/x"] }

    /// The addresses that it names as a verifier of tokens.
    var ofTokens: [String] { ["http://127.0.0.1:\(port)/x/keys", "http://127.0.0.1:\(port)/x/token"] }

    /// How many connections the bridge has opened.
    var accepted: Int { state.withLock { $0.accepted } }

    var isEnded: Bool { state.withLock { $0.isEnded } }

    /// Gives up the port and ends all connections.
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
        // The descriptor may be another connection's as soon as it is closed.
        state.withLock { _ = $0.open.remove(descriptor) }
    }
}
