import Coordination
import Foundation

/// A proxy between a bridge and its upstream: it cuts the connection, restores it, and counts the bytes.
///
/// It has threads of its own, so that it does not block others.
final class TestProxy: Sendable {
    private struct State {
        var isOpen = false
        var isEnded = false
        var bytes = 0
        /// The number of bytes after which all connections are cut.
        var limit = Int.max
        var target: Int
        /// The open sockets, and the number of remaining threads of each pair.
        var pairs: [Int: (client: Int32, server: Int32, threads: Int)] = [:]
        var lastPair = 0
    }

    let port: Int
    private let listener: Int32
    private let state: Lock<State>

    /// A closed proxy.
    init(to target: Int) throws {
        state = Lock(State(target: target))
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        self.listener = listener
        var address = Self.address(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) == 0 && listen(listener, 64) == 0 && getsockname(listener, address, &length) == 0
            }
        }
        port = Int(in_port_t(bigEndian: address.sin_port))
        guard listener >= 0, status else { throw RawSocket.Failure(message: "the proxy cannot listen: \(errno)") }
        Thread.detachNewThread { [self] in accept() }
    }

    /// The number of bytes in both directions.
    var bytes: Int { state.withLock { $0.bytes } }

    func open() { state.withLock { $0.isOpen = true } }

    /// Opens the proxy for a number of further bytes, and then cuts all connections.
    func open(for bytes: Int) {
        state.withLock { state in
            state.isOpen = true
            state.limit = state.bytes + bytes
        }
    }

    /// Sends clients to another port from now on.
    func redirect(to target: Int) { state.withLock { $0.target = target } }

    /// Cuts all connections, and refuses new ones.
    func close() {
        state.withLock { state in
            state.isOpen = false
            for pair in state.pairs.values { Self.cut(pair.client, pair.server) }
        }
    }

    /// Closes the port.
    func end() {
        close()
        state.withLock { $0.isEnded = true }
        shutdown(listener, Int32(SHUT_RDWR))
    }

    private func accept() {
        while true {
            let client = Foundation.accept(listener, nil, nil)
            guard client >= 0, !state.withLock({ $0.isEnded }) else {
                if client >= 0 { Foundation.close(client) }
                Foundation.close(listener)
                return
            }
            let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            let (isOpen, target) = state.withLock { ($0.isOpen, $0.target) }
            guard isOpen, server >= 0, Self.connect(server, to: target) else {
                Foundation.close(client)
                Foundation.close(server)
                continue
            }
            let pair = state.withLock { state in
                state.lastPair += 1
                state.pairs[state.lastPair] = (client, server, 2)
                // It may have been closed meanwhile.
                if !state.isOpen { Self.cut(client, server) }
                return state.lastPair
            }
            Thread.detachNewThread { [self] in pass(from: client, to: server, pair) }
            Thread.detachNewThread { [self] in pass(from: server, to: client, pair) }
        }
    }

    private func pass(from source: Int32, to target: Int32, _ pair: Int) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        reading: while true {
            let count = recv(source, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            let isOver = state.withLock { state in
                state.bytes += count
                return state.bytes > state.limit
            }
            if isOver { close() }
            var sent = 0
            while sent < count {
                let more = buffer[sent..<count].withUnsafeBytes { send(target, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                guard more > 0 else { break reading }
                sent += more
            }
        }
        state.withLock { state in
            Self.cut(source, target)
            state.pairs[pair]?.threads -= 1
            guard state.pairs[pair]?.threads == 0 else { return }
            state.pairs[pair] = nil
            Foundation.close(source)
            Foundation.close(target)
        }
    }

    private static func cut(_ client: Int32, _ server: Int32) {
        shutdown(client, Int32(SHUT_RDWR))
        shutdown(server, Int32(SHUT_RDWR))
    }

    private static func connect(_ socket: Int32, to port: Int) -> Bool {
        var address = address(port)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Foundation.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    private static func address(_ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        return address
    }
}
