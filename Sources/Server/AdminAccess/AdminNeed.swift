import BridgeConfiguration
import HTTPTypes

/// What a request to the admin port requires, and whether it is audited.
struct AdminNeed: Hashable, Sendable {
    /// The least role; `nil` if no login is required.
    let role: AdminRole?

    /// Whether the request may change something.
    let isChange: Bool
}

extension AdminNeed {
    /// - Parameter route: the route of the request; `nil` if there is none. Such a request requires an administrator.
    init(_ method: HTTPRequest.Method, _ route: HTTPRoute?) {
        // The reply only lists the methods of a path.
        guard method != .options else {
            self.init(role: .readOnly, isChange: false)
            return
        }
        let role: AdminRole? =
            switch route?.audience(on: .admin) {
            case .everybody: nil
            case .role(let role): role
            case .nobody, .caller, nil: .administrator
            }
        // Documents are written through a WebSocket, too.
        let mayChange = ![.get, .head].contains(method) || route?.lasts == true
        self.init(role: role, isChange: mayChange && role.map { $0 > .readOnly } ?? false)
    }
}
