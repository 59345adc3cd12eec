import Supervision

/// Which of the two ports a request came in by.
package enum PortKind: String, CaseIterable, Sendable {
    /// For clients: everybody is checked.
    case `public`

    /// For those who run the bridge: everything is allowed, or what their roles say. It listens on loopback unless the configuration says otherwise.
    case admin
}

extension ListenConfiguration {
    package func address(of port: PortKind) -> ListenAddress {
        switch port {
        case .public: publicAddress
        case .admin: adminAddress
        }
    }

    /// The name of a port's socket between a supervisor and the process. It has the address: a process that finds another one in the
    /// configuration listens there itself.
    package func socketName(of port: PortKind) -> String { "\(port.rawValue) \(address(of: port))" }

    /// The descriptor of the socket that the supervisor has for a port; `nil` if it has none.
    func socket(of port: PortKind, _ supervisor: SupervisorLine) -> Int32? { supervisor.start.sockets[socketName(of: port)] }
}
