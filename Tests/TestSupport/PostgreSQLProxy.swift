import Coordination
import Foundation

/// Passes the bytes of connections between a store and the tests' PostgreSQL on, and breaks them at a chosen moment.
package final class PostgreSQLProxy: Sendable {
    /// The moment at which the connection of the next commit breaks.
    package enum Trigger: Sendable {
        /// The server does not receive the order to commit. Only the first order of a connection has the words of the statement.
        case beforeCommit

        /// The server has committed, and its acknowledgement is lost.
        case afterCommit

        /// The same, and the proxy is shut from then on.
        case afterLastCommit
    }

    /// Both sockets of a connection. They are closed when both directions have ended.
    private final class Passage: Sendable {
        let sockets: [Int32]
        let directions = Lock(2)

        init(_ client: Int32, _ server: Int32) { sockets = [client, server] }

        func end() {
            for socket in sockets { shutdown(socket, Int32(SHUT_RDWR)) }
        }
    }

    private struct State {
        var trigger: Trigger?
        var isShut = false
        var isClosed = false
        var passages: [ObjectIdentifier: Passage] = [:]
    }

    /// The folder of the proxy's socket, for the `host` of an address.
    package let folder: String

    private let server: String
    private let listener: Int32
    private let state = Lock(State())

    /// - Parameter server: The path of the server's socket.
    package init(to server: String) throws {
        self.server = server
        folder = NSTemporaryDirectory() + "dualgauge-proxy-" + UUID().uuidString.prefix(8)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        listener = Self.unixSocket()
        let isBound = Self.withAddress(folder + "/.s.PGSQL.5432") { bind(self.listener, $0, $1) } == 0
        guard isBound, listen(listener, 16) == 0 else { throw CocoaError(.fileWriteUnknown) }
        Thread.detachNewThread { [self] in accept() }
    }

    /// Breaks the connection of the next commit, if there is a trigger.
    package func breakNextCommit(_ trigger: Trigger?) { state.withLock { $0.trigger = trigger } }

    /// Whether the server cannot be reached.
    package var isShut: Bool { state.withLock { $0.isShut } }

    /// Ends all connections.
    package func cut() {
        state.withLock { state in
            for passage in state.passages.values { passage.end() }
        }
    }

    /// Ends all connections, and refuses others until ``open()``.
    package func shut() {
        state.withLock { $0.isShut = true }
        cut()
    }

    /// Lets connections through again.
    package func open() { state.withLock { $0.isShut = false } }

    /// Ends all connections and the proxy.
    package func close() {
        state.withLock { $0.isClosed = true }
        cut()
        shutdown(listener, Int32(SHUT_RDWR))
        try? FileManager.default.removeItem(atPath: folder)
    }

    private func accept() {
        while true {
            let client = Glibc.accept(listener, nil, nil)
            guard client >= 0, !state.withLock({ $0.isClosed }) else { break }
            let upstream = Self.unixSocket()
            let passage = Passage(client, upstream)
            let isOpen = Self.withAddress(server) { connect(upstream, $0, $1) } == 0 && keep(passage)
            guard isOpen else {
                for socket in passage.sockets { Glibc.close(socket) }
                continue
            }
            // The text of the statement is sent once for a connection; the server answers each execution with its name.
            Thread.detachNewThread { [self] in pass(from: 0, to: 1, of: passage, breakingOn: [.beforeCommit]) }
            Thread.detachNewThread { [self] in pass(from: 1, to: 0, of: passage, breakingOn: [.afterCommit, .afterLastCommit]) }
        }
        Glibc.close(listener)
    }

    /// - Returns: Whether the connection may be used.
    private func keep(_ passage: Passage) -> Bool {
        state.withLock { state in
            guard !state.isShut, !state.isClosed else { return false }
            state.passages[ObjectIdentifier(passage)] = passage
            return true
        }
    }

    private func pass(from source: Int, to target: Int, of passage: Passage, breakingOn moments: [Trigger]) {
        let (source, target) = (passage.sockets[source], passage.sockets[target])
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = read(source, &buffer, buffer.count)
            guard count > 0 else { break }
            let isHit = state.withLock { state in
                guard let trigger = state.trigger, moments.contains(trigger),
                    !buffer[..<count].ranges(of: Array("COMMIT\0".utf8)).isEmpty
                else { return false }
                state.trigger = nil
                if trigger == .afterLastCommit { state.isShut = true }
                return true
            }
            guard !isHit, send(target, buffer, count, Int32(MSG_NOSIGNAL)) == count else { break }
        }
        if state.withLock({ $0.isShut }) { cut() }
        passage.end()
        let isLast = passage.directions.withLock { directions in
            directions -= 1
            return directions == 0
        }
        guard isLast else { return }
        // No other thread uses the sockets from here on.
        state.withLock { $0.passages[ObjectIdentifier(passage)] = nil }
        for socket in passage.sockets { Glibc.close(socket) }
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
