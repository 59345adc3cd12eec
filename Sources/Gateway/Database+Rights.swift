import Access
import Storage

extension Database {
    /// What someone may do, as of a snapshot.
    ///
    /// - Throws: ``GatewayError`` with code `unauthorized` for a user that is not there or was disabled, and for a guest where none is let in.
    func rights(of principal: Principal, in snapshot: any StoreSnapshot) throws -> Rights {
        switch principal {
        case .administrator: return .administrator
        case .guest:
            let access = ChannelAccess(
                channels: Dictionary(configuration.guest.channels.map { ($0, .zero) }, uniquingKeysWith: { first, _ in first }))
            return Rights(
                principal: principal, roles: [],
                collections: Dictionary(uniqueKeysWithValues: collections.records.map { ($0.key, access) }))
        case .user: throw GatewayError(.unauthorized, "The user is not known here")
        }
    }
}
