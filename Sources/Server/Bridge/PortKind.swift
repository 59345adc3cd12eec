package import BridgeConfiguration
import Foundation
import HTTP
import Supervision

/// The port at which a request arrived.
package enum PortKind: String, CaseIterable, Sendable {
    /// The public port, for clients. Every request is authenticated.
    case `public`

    /// The admin port, for operators. Allows everything, or what the caller's roles permit. It listens on loopback unless configured
    /// otherwise.
    case admin
}

extension ListenConfiguration {
    package func address(of port: PortKind) -> ListenAddress {
        switch port {
        case .public: publicAddress
        case .admin: adminAddress
        }
    }

    /// The name under which the supervisor passes a port's socket to the process. It includes the address: a process with another address
    /// in its configuration opens a socket itself.
    package func socketName(of port: PortKind) -> String { "\(port.rawValue) \(address(of: port))" }

    /// The descriptor of the supervisor's socket for a port; `nil` if there is none.
    func socket(of port: PortKind, _ supervisor: SupervisorConnection) -> Int32? { supervisor.start.sockets[socketName(of: port)] }
}

/// An error of listening at a port.
package struct ListenError: Error, Sendable, CustomStringConvertible {
    package let address: ListenAddress
    package let cause: any Error

    package init(address: ListenAddress, cause: any Error) {
        self.address = address
        self.cause = cause
    }

    /// The failure, its address, and advice.
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
