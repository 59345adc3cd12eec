import Foundation

/// A TCP connection with a thread of its own: it blocks, up to a timeout.
final class FuzzSocket {
    enum Received {
        case bytes([UInt8])
        /// The other side has closed its sending side, or the connection.
        case end
        /// No data arrived in time.
        case nothing
    }

    private let descriptor: Int32

    convenience init(port: Int) throws { self.init(try RawSocket.connect(port: port)) }

    /// Owns a connection, and closes it at the end.
    init(_ descriptor: Int32) {
        self.descriptor = descriptor
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

    /// Sends bytes; the other side may close before all of them are sent.
    ///
    /// - Returns: Whether all of it is sent.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty, wait(for: Int32(POLLOUT), milliseconds: FuzzSettings.timeout * 1_000) {
            let count = rest.withUnsafeBytes {
                Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            if count < 0, errno == EAGAIN || errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return rest.isEmpty
    }

    func receive(milliseconds: Int) -> Received {
        guard wait(for: Int32(POLLIN), milliseconds: milliseconds) else { return .nothing }
        let bytes = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
            count = max(0, recv(descriptor, buffer.baseAddress, buffer.count, 0))
        }
        return bytes.isEmpty ? .end : .bytes(bytes)
    }

    /// Closes the sending side, and goes on reading.
    func closeOutput() { shutdown(descriptor, Int32(SHUT_WR)) }
}
