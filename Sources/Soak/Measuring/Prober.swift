import Coordination
import Foundation
import HTTP

/// Sends small requests one after the other on one connection, to measure latency under load.
///
/// It blocks its own thread, so that the measurement does not include delays of this process's clients.
final class Prober: Sendable {
    /// The document that read probes request.
    static let document = "probe"

    private let world: World
    private let work: Stopwatch.Work

    /// Microseconds between two requests, independent of response times.
    private let pace: UInt32
    private let isOver = Lock(false)
    private let end = Promise<Void, Never>()

    init(_ world: World, _ work: Stopwatch.Work) {
        self.world = world
        self.work = work
        pace = work == .read ? 20_000 : 200_000
    }

    func start() {
        Thread.detachNewThread { [self] in
            var connection: ProbeConnection?
            var number = 0
            while !isOver.withLock({ $0 }) {
                number += 1
                world.stopwatch.time(work) { probe(number, &connection) }
                usleep(pace)
            }
            end.resolve()
        }
    }

    func stop() {
        isOver.withLock { $0 = true }
    }

    /// Stops and waits for the last response.
    func stopped() async {
        stop()
        await end.value()
    }

    /// - Returns: Whether the request succeeded.
    private func probe(_ number: Int, _ connection: inout ProbeConnection?) -> Bool {
        if connection == nil { connection = ProbeConnection(port: world.server.port) }
        let isDone = work == .read ? read(connection) : write(number, connection)
        if !isDone { connection = nil }
        return isDone
    }

    private func read(_ connection: ProbeConnection?) -> Bool {
        connection?.status(of: "GET /\(SoakDatabase.name)/\(Self.document) HTTP/1.1\r\nHost: soak\r\n\r\n") == "200"
    }

    /// Writes a new document in a separate channel that only users with access to every channel read.
    private func write(_ number: Int, _ connection: ProbeConnection?) -> Bool {
        let id = "probe-\(number)"
        let body = #"{"type":"note","n":1,"channels":["probes"]}"#
        let authorization = SoakAccount.everything.credentials?.authorization ?? ""
        world.ledger.send(id, 1)
        let status = connection?.status(
            of: "PUT /\(SoakDatabase.name)/\(id) HTTP/1.1\r\nHost: soak\r\nAuthorization: \(authorization)\r\n"
                + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        if status == "201" { world.ledger.acknowledge(id, 1) }
        return status == "201"
    }
}

/// A connection with blocking requests.
final class ProbeConnection {
    /// Timeout of a response in seconds.
    private static let timeout = 90

    private let descriptor: Int32

    /// - Returns: `nil` if the connection is refused.
    init?(port: Int) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var timeout = timeval(tv_sec: Self.timeout, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(truncatingIfNeeded: port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
        guard status == 0 else { return nil }
    }

    deinit { close(descriptor) }

    /// The status of a response that is small enough to arrive in one read; `nil` without a response.
    func status(of request: String) -> String? {
        let bytes = Array(request.utf8)
        guard send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else { return nil }
        var answer = [UInt8](repeating: 0, count: 4_096)
        guard recv(descriptor, &answer, answer.count, 0) > 12 else { return nil }
        return String(decoding: answer[9..<12], as: UTF8.self)
    }
}
