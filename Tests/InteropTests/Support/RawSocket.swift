import Coordination
import Foundation

/// A TCP connection that sends only the given bytes.
///
/// It blocks on a queue of its own, never on the threads of the bridge under test.
final class RawSocket: Sendable {
    struct Failure: Error {
        let message: String
    }

    private let descriptor: Int32
    private let queue = DispatchQueue(label: "dualgauge.raw-socket")
    private let unread = Lock<[UInt8]>([])

    /// Connects to a port of this machine. Reads fail after this number of seconds without data.
    init(port: Int, timeout: Int = 120) throws {
        descriptor = try Self.connect(port: port)
        limit(timeout)
    }

    /// A connection that a server has accepted. It is closed with the last reference.
    init(connected descriptor: Int32) {
        self.descriptor = descriptor
        limit(120)
    }

    private func limit(_ timeout: Int) {
        var limit = timeval(tv_sec: timeout, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    /// A descriptor that listens at a port of its own on this machine. The caller closes it.
    static func listen() throws -> (descriptor: Int32, port: Int) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 && Foundation.listen(descriptor, 64) == 0
                    && getsockname(descriptor, address, &length) == 0
            }
        }
        guard descriptor >= 0, isListening else { throw Failure(message: "nobody can listen: \(errno)") }
        return (descriptor, Int(in_port_t(bigEndian: address.sin_port)))
    }

    /// A descriptor that is connected to a port of this machine. The caller closes it.
    static func connect(port: Int) throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Failure(message: "no socket: \(errno)") }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Foundation.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else {
            let error = errno
            close(descriptor)
            throw Failure(message: "port \(port) cannot be reached: \(error)")
        }
        return descriptor
    }

    deinit { close(descriptor) }

    private func perform<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try work() }) }
        }
    }

    func send(_ text: String) async throws { try await send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) async throws {
        try await perform { [descriptor] in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                guard count > 0 else { throw Failure(message: "the connection was closed: \(errno)") }
                rest = rest.dropFirst(count)
            }
        }
    }

    /// The next bytes; empty at the end.
    func receive() async throws -> [UInt8] {
        let kept = unread.withLock { unread in
            defer { unread = [] }
            return unread
        }
        if !kept.isEmpty { return kept }
        return try await perform { [descriptor] in
            var buffer = [UInt8](repeating: 0, count: 65_536)
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count < 0, errno == ECONNRESET { return [] }
            guard count >= 0 else { throw Failure(message: "nothing came in time: \(errno)") }
            return Array(buffer[..<count])
        }
    }

    /// Reads up to and including `mark`; later bytes are kept for the next read.
    func read(until mark: String) async throws -> String {
        var bytes: [UInt8] = []
        let mark = Array(mark.utf8)
        while true {
            if let range = bytes.firstRange(of: mark) {
                let rest = Array(bytes[range.upperBound...])
                unread.withLock { $0 = rest }
                return String(decoding: bytes[..<range.upperBound], as: UTF8.self)
            }
            let more = try await receive()
            guard !more.isEmpty else {
                throw Failure(message: "the connection ended after \(String(decoding: bytes, as: UTF8.self).debugDescription)")
            }
            bytes += more
        }
    }

    func read(count: Int) async throws -> [UInt8] {
        // Unread bytes stay unread.
        guard count > 0 else { return [] }
        var bytes: [UInt8] = []
        while bytes.count < count {
            let more = try await receive()
            guard !more.isEmpty else { throw Failure(message: "the connection ended after \(bytes.count) of \(count) bytes") }
            bytes += more
        }
        let rest = Array(bytes[count...])
        unread.withLock { $0 = rest }
        return Array(bytes[..<count])
    }

    func readToEnd() async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let more = try await receive()
            guard !more.isEmpty else { return bytes }
            bytes += more
        }
    }

    /// Closes the sending side.
    func closeOutput() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Ends the connection in both directions.
    func cut() { shutdown(descriptor, Int32(SHUT_RDWR)) }
}
