import Access
import Gateway
import HTTPListener
import HTTPTypes
import HummingbirdCore
import NIOCore

/// The client for which open feeds and requests are counted: a user of a database, or the address of a guest.
struct ClientIdentity: Hashable, Sendable {
    private let database: String
    private let user: String?
    private let address: String?

    /// `nil` for administrators, who are not counted.
    init?(_ keyspace: Keyspace, _ info: RequestInfo) {
        switch keyspace.principal {
        case .administrator: return nil
        case .user(let name): (user, address) = (name, nil)
        case .guest: (user, address) = (nil, info.remoteAddress?.ipAddress)
        }
        database = keyspace.database.name
    }

    init(database: String, user: String?, address: String?) {
        self.database = database
        self.user = user
        self.address = address
    }
}

extension Visitor {
    /// The client of a 1.x request: a user, or the guest. `nil` for administrators, who are served at every stage.
    init?(of keyspace: Keyspace, _ request: Request, _ info: RequestInfo) {
        guard !keyspace.principal.isAdministrator else { return nil }
        self.init(
            user: keyspace.principal.userName, client: ClientKind(generation: 1, agent: request.headers[.userAgent]),
            address: info.remoteAddress?.ipAddress)
    }
}
