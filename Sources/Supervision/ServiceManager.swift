import Foundation

/// The service manager, such as systemd, that started the program and is notified of the program's state.
///
/// The messages and the socket are those of `sd_notify(3)`. Notifications are lost without an error if the manager does not receive them.
package struct ServiceManager: Sendable {
    /// A state of which the manager is notified.
    package enum State: String, Sendable {
        /// Both ports are served.
        case ready = "READY=1"
        /// The program is stopping.
        case stopping = "STOPPING=1"
        /// The program is alive; for the manager's watchdog.
        case alive = "WATCHDOG=1"
    }

    private let address: [UInt8]

    /// - Parameter path: the path of the manager's socket; "@" at its start marks an abstract socket.
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

    /// The manager from the environment; `nil` if there is none.
    ///
    /// Removes the variables from the environment, because processes that the program starts are not the service.
    package static func inherited() -> ServiceManager? {
        defer { for name in ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"] { unsetenv(name) } }
        return ProcessInfo.processInfo.environment["NOTIFY_SOCKET"].flatMap { ServiceManager(path: $0) }
    }

    /// The seconds for a stop, besides the time that the program serves on.
    private static let stopTime = 15

    package func notify(_ state: State) { notify(state.rawValue) }

    /// Extends the manager's limit of a stop.
    ///
    /// - Parameter seconds: the time that the program serves on before.
    package func extendStop(by seconds: Int) { notify("EXTEND_TIMEOUT_USEC=\(seconds + Self.stopTime)000000") }

    private func notify(_ message: String) {
        let descriptor = socket(AF_UNIX, Descriptor.datagram, 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var target = sockaddr_un()
        target.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &target.sun_path) { $0.copyBytes(from: address) }
        let length = MemoryLayout<sockaddr_un>.offset(of: \.sun_path).map { socklen_t($0 + address.count) } ?? 0
        let text = Array(message.utf8)
        withUnsafePointer(to: &target) { target in
            target.withMemoryRebound(to: sockaddr.self, capacity: 1) { target in
                _ = sendto(descriptor, text, text.count, Int32(MSG_DONTWAIT), target, length)
            }
        }
    }
}
