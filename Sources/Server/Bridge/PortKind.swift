package import BridgeConfiguration
import Foundation
import HTTP
import Supervision

/// Which of the two ports a request came in by.
package enum PortKind: String, CaseIterable, Sendable {
    /// For clients: everybody is checked.
    case `package`

    /// For those who run the bridge: everything is allowed, or what their roles say. It listens on loopback unless the configuration says otherwise.
    case admin
}

extension ListenConfiguration {
    package func address(of port: PortKind) -> ListenAddress {
        switch port {
        case .package: publicAddress
        case .admin: adminAddress
        }
    }

    /// The name of a port's socket between a supervisor and the process. It has the address: a process that finds another one in the
    /// configuration listens there itself.
    package func socketName(of port: PortKind) -> String { "\(port.rawValue) \(address(of: port))" }

    /// The descriptor of the socket that the supervisor has for a port; `nil` if it has none.
    func socket(of port: PortKind, _ supervisor: SupervisorConnection) -> Int32? { supervisor.start.sockets[socketName(of: port)] }
}

/// A port that cannot be listened at.
package struct ListenError: Error, Sendable, CustomStringConvertible {
    package let address: ListenAddress
    package let cause: any Error

    package init(address: ListenAddress, cause: any Error) {
        self.address = address
        self.cause = cause
    }

    /// What happened, where, and what to do.
    package var message: String { "cannot listen at \(address): \(NetworkErrorText.text(cause)). \(advice)" }

    package var description: String { message }

    private var advice: String {
        switch NetworkErrorText.systemError(cause) {
        case EADDRINUSE: "Stop the program that uses the port, or give another address under `listen`"
        case EACCES: "Give a port from 1024 on under `listen`, or the right to listen at this one"
        default: "Give an address of this machine under `listen`"
        }
    }
}
