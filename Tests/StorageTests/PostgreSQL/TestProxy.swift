import Coordination
import Foundation

/// Passes the bytes of connections between a store and the tests' PostgreSQL on, and breaks them at a chosen moment.
final class TestProxy: Sendable {
    /// The moment at which the connection of the next commit breaks.
    enum Trigger: Sendable {
        /// The server does not receive the order to commit.
        case beforeCommit

        /// The server has committed, and its acknowledgement is lost.
        case afterCommit
    }

    private struct State {
        var trigger: Trigger?
        var isClosed = false
        var sockets: [Int32] = []
    }

    /// The folder of the proxy's socket, for the `host` of an address.
    let folder: String

    private let server: String
    private let listener: Int32
    private let state = Lock(State())

    /// - Parameter server: The path of the server's socket.
    init(to server: String) throws {
        self.server = server
        folder = NSTemporaryDirectory() + "dualgauge-proxy-" + UUID().uuidString.prefix(8)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        listener = Self.unixSocket()
        let isBound = Self.withAddress(folder + "/.s.PGSQL.5432") { bind(self.listener, $0, $1) } == 0
        guard isBound, listen(listener, 16) == 0 else { throw CocoaError(.fileWriteUnknown) }
        Thread.detachNewThread { [self] in accept() }
    }

    /// Breaks the connection of the next commit.
    func breakNextCommit(_ trigger: Trigger) { state.withLock { $0.trigger = trigger } }

    func close() {
        let sockets = state.withLock { state in
            state.isClosed = true
            return state.sockets + [listener]
        }
        for socket in sockets { shutdown(socket, Int32(SHUT_RDWR)) }
        try? FileManager.default.removeItem(atPath: folder)
    }

    private func accept() {
        while true {
            let client = Glibc.accept(listener, nil, nil)
            guard client >= 0, !state.withLock({ $0.isClosed }) else { return }
            let upstream = Self.unixSocket()
            guard Self.withAddress(server, { connect(upstream, $0, $1) }) == 0 else { return }
            state.withLock { $0.sockets += [client, upstream] }
            // The text of the statement is sent once for a connection; the server answers each execution with its name.
            Thread.detachNewThread { [self] in pass(from: client, to: upstream, breakingAt: "COMMIT\0", on: .beforeCommit) }
            Thread.detachNewThread { [self] in pass(from: upstream, to: client, breakingAt: "COMMIT\0", on: .afterCommit) }
        }
    }

    private func pass(from source: Int32, to target: Int32, breakingAt word: String, on moment: Trigger) {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = read(source, &buffer, buffer.count)
            guard count > 0 else { break }
            let isHit = state.withLock { state in
                guard state.trigger == moment, buffer[..<count].ranges(of: Array(word.utf8)).isEmpty == false else { return false }
                state.trigger = nil
                return true
            }
            guard !isHit, send(target, buffer, count, Int32(MSG_NOSIGNAL)) == count else { break }
        }
        for socket in [source, target] { shutdown(socket, Int32(SHUT_RDWR)) }
    }

    private static func unixSocket() -> Int32 { socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0) }

    private static func withAddress(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
        }
    }
}
