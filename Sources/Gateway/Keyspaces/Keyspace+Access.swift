public import Access
import Storage

extension Keyspace {
    /// The same keyspace as `principal` sees it.
    ///
    /// - Parameter login: By which a user has come in: once it has ended, nothing more is read with it. `nil` where that is seen to elsewhere.
    public func seen(by principal: Principal, login: LoginProof? = nil) -> Keyspace {
        var keyspace = self
        keyspace.principal = principal
        keyspace.login = login
        return keyspace
    }

    /// What its reader may do, as of the snapshot.
    ///
    /// - Throws: ``GatewayError`` with code `unauthorized` if the user is no longer there, or was disabled, or the login has ended.
    func rights(in snapshot: any StoreSnapshot) throws -> Rights {
        let rights = try database.rights(of: principal, in: snapshot)
        guard login.map(rights.areHeld) ?? true else { throw GatewayError(.unauthorized, "Invalid login") }
        return rights
    }

    /// Finds out whether who asks may still do so.
    ///
    /// - Throws: ``GatewayError`` with code `unauthorized` for a user that is not there any more or was disabled, and for a guest where none is let in.
    public func requireAccess() async throws {
        _ = try await store.read(as: share) { try rights(in: $0) }
    }

    /// The access to each collection whose documents are here.
    func access(of rights: Rights) -> [CollectionKey: ChannelAccess] {
        switch scope {
        case .collection(let key): [key: rights.access(to: key)]
        case .unified:
            Dictionary(
                database.collections.records.lazy.filter { !$0.isHidden }.map { ($0.key, rights.access(to: $0.key)) }
            ) { first, _ in first }
        }
    }
}
