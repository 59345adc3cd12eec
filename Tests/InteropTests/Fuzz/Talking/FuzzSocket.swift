import Foundation

/// A TCP connection of a thread of its own: it blocks, for a time that is known.
final class FuzzSocket {
    enum Received {
        case bytes([UInt8])
        /// The other side sends no more, or has cut the connection.
        case end
        /// Nothing came in time.
        case nothing
    }

    private let descriptor: Int32

    init(port: Int) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw RawSocket.Failure(message: "no socket: \(errno)") }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
        guard status == 0 else {
            let error = errno
            close(descriptor)
            throw RawSocket.Failure(message: "port \(port) cannot be reached: \(error)")
        }
        var isOn: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
    }

    deinit { close(descriptor) }

    private func wait(for events: Int32, milliseconds: Int) -> Bool {
        var wanted = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        while true {
            let count = poll(&wanted, 1, Int32(milliseconds))
            if count < 0, errno == EINTR { continue }
            return count > 0
        }
    }

    /// Sends what the other side takes; it may close before all of it is sent.
    func send(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty, wait(for: Int32(POLLOUT), milliseconds: FuzzSettings.patience * 1_000) {
            let count = rest.withUnsafeBytes {
                Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            if count < 0, errno == EAGAIN || errno == EINTR { continue }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    func receive(milliseconds: Int) -> Received {
        guard wait(for: Int32(POLLIN), milliseconds: milliseconds) else { return .nothing }
        let bytes = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
            count = max(0, recv(descriptor, buffer.baseAddress, buffer.count, 0))
        }
        return bytes.isEmpty ? .end : .bytes(bytes)
    }

    /// Sends no more, and goes on reading.
    func closeOutput() { shutdown(descriptor, Int32(SHUT_WR)) }
}
