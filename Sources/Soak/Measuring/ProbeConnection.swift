import Foundation

/// A connection on which a thread asks and blocks until the answer is here.
final class ProbeConnection {
    /// Seconds that an answer may take.
    private static let patience = 90

    private let descriptor: Int32

    /// - Returns: `nil` where nobody listens.
    init?(port: Int) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var patience = timeval(tv_sec: Self.patience, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
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

    /// The status of an answer that is so small that it comes at once; `nil` where none comes.
    func status(of request: String) -> String? {
        let bytes = Array(request.utf8)
        guard send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else { return nil }
        var answer = [UInt8](repeating: 0, count: 4_096)
        guard recv(descriptor, &answer, answer.count, 0) > 12 else { return nil }
        return String(decoding: answer[9..<12], as: UTF8.self)
    }
}
