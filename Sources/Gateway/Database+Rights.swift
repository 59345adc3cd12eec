import Access
import Storage

extension Database {
    /// What someone may do, as of a snapshot.
    ///
    /// - Throws: ``GatewayError`` with code `unauthorized` for a user that is not there or was disabled, and for a guest where none is let in.
    func rights(of principal: Principal, in snapshot: any StoreSnapshot) throws -> Rights {
        do {
            return try rightsCache.rights(of: principal, in: snapshot)
        } catch let error as AccessError where error.code == .accountGone || error.code == .accountDisabled {
            throw GatewayError(.unauthorized, "Invalid login", cause: error)
        }
    }
}
