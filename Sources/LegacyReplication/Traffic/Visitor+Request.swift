import Access
import Gateway
import HTTP
import HTTPTypes
import HummingbirdCore
import NIOCore

extension Visitor {
    /// Who sends a request of 1.x: a user, or the guest. `nil` for administrators, who are served at every stage.
    init?(of keyspace: Keyspace, _ request: Request, _ info: RequestInfo) {
        guard !keyspace.principal.isAdministrator else { return nil }
        self.init(
            user: keyspace.principal.userName, client: ClientKind(generation: 1, agent: request.headers[.userAgent]),
            address: info.remoteAddress?.ipAddress)
    }
}
