import Foundation

/// The service manager that has started the program, systemd for example, and is told of the program's state.
///
/// The words and the socket are those of `sd_notify(3)`. A manager that does not listen is told nothing, and nothing else comes of it.
package struct ServiceManager: Sendable {
    /// What it is told.
    package enum State: String, Sendable {
        /// Both ports are served.
        case ready = "READY=1"
        /// The program ends.
        case stopping = "STOPPING=1"
        /// The program does its work: for the manager's watchdog.
        case alive = "WATCHDOG=1"
    }

    private let address: [UInt8]

    /// - Parameter path: of the manager's socket; with "@" in front, a name without a file.
    init?(path: String) {
        var address = Array(path.utf8)
        guard let first = address.first, address.count > 1, address.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path) else {
            return nil
        }
        switch first {
        case UInt8(ascii: "@"): address[0] = 0
        case UInt8(ascii: "/"): break
        default: return nil
        }
        self.address = address
    }

    /// The manager that the environment names; `nil` if there is none. It is taken out of the environment: what the program starts is not
    /// the service.
    package static func inherited() -> ServiceManager? {
        defer { for name in ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"] { unsetenv(name) } }
        return ProcessInfo.processInfo.environment["NOTIFY_SOCKET"].flatMap { ServiceManager(path: $0) }
    }

    package func tell(_ state: State) {
        let descriptor = socket(AF_UNIX, Descriptor.datagram, 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var target = sockaddr_un()
        target.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &target.sun_path) { $0.copyBytes(from: address) }
        let length = MemoryLayout<sockaddr_un>.offset(of: \.sun_path).map { socklen_t($0 + address.count) } ?? 0
        let text = Array(state.rawValue.utf8)
        withUnsafePointer(to: &target) { target in
            target.withMemoryRebound(to: sockaddr.self, capacity: 1) { target in
                _ = sendto(descriptor, text, text.count, Int32(MSG_DONTWAIT), target, length)
            }
        }
    }
}
