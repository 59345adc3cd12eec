import Documents
package import Storage

/// Changes users and roles within a transaction.
package struct AccountEditor {
    let transaction: any StoreTransaction

    package init(_ transaction: any StoreTransaction) {
        self.transaction = transaction
    }

    /// Creates or changes a user or role.
    ///
    /// - Parameters:
    ///   - replacing: Whether it may exist already.
    ///   - isMoving: Whether a new user may come from another server with the same access there.
    /// - Returns: Whether it was created.
    /// - Throws: ``AccessError`` `alreadyExists`, or `badRequest` if a name is not allowed; errors of the store.
    package func put(_ grantee: Grantee, _ change: AccountChange, replacing: Bool = true, isMoving: Bool = false) throws -> Bool {
        let existing = try transaction.principal(grantee)
        guard existing == nil || replacing else { throw AccessError(.alreadyExists, "Already exists") }
        if existing == nil { try AccountName.validate(grantee.name) }
        let before = try AdministratorGrants.read(grantee, in: transaction)
        let after = change.apply(to: before)
        try after.validate()
        let record = try record(of: grantee, existing, change, limits: after != AdministratorGrants())
        let grants = after.grants(to: grantee)
        let isSame = existing?.email == record.email && existing?.record == record.record
        guard existing == nil || !isSame || grants != before.grants(to: grantee) else { return false }
        let sequence = try transaction.nextSequence()
        let since = try since(grantee, isMoving: isMoving && existing == nil, now: sequence)
        try transaction.setGrants(grants, from: .administrator(grantee), at: since)
        var stamped = record
        stamped.sequence = sequence
        try transaction.setPrincipal(stamped)
        if let existing, grantee.kind == .user, try User(existing).readsAll == true, try User(stamped).readsAll == false {
            try revokeFullAccess(from: grantee)
        }
        return existing == nil
    }

    /// Deletes a user with his sessions, or a role.
    ///
    /// - Throws: ``AccessError`` `notFound`, or `notAllowed` for the guest; errors of the store.
    package func remove(_ grantee: Grantee) throws {
        guard grantee != .user(User.guestName) else {
            throw AccessError(.notAllowed, "The \(User.guestName) user cannot be deleted. Only disabled via an update.")
        }
        guard try transaction.principal(grantee) != nil else { throw AccessError(.notFound, "missing") }
        let sequence = try transaction.nextSequence()
        try transaction.setGrants([], from: .administrator(grantee), at: sequence)
        try transaction.setGrants([], from: .login(grantee), at: sequence)
        if grantee.kind == .user { try transaction.removeSessions(of: grantee.name) }
        try transaction.removePrincipal(grantee)
    }

    /// Sets the channels and roles that the login verifier reports for a user, in addition to those granted by administrators and documents.
    ///
    /// - Parameter isMoving: Whether the user is new here and comes from another server.
    /// - Throws: ``AccessError`` `notFound`, or `badRequest` if a name is not allowed; errors of the store.
    package func setLoginGrants(of name: String, channels: Set<String>, roles: Set<String> = [], isMoving: Bool = false) throws {
        let user = Grantee.user(name)
        guard try transaction.principal(user) != nil else { throw AccessError(.notFound, "missing") }
        try AdministratorGrants(channels: channels, roles: roles).validate()
        let permissions = channels.map { Permission.channel($0.composed, .default) } + roles.map { .role($0) }
        try transaction.setGrants(
            Set(permissions.map { Grant(to: user, $0) }), from: .login(user),
            at: try since(user, isMoving: isMoving, now: try transaction.nextSequence()))
    }

    /// Adds the legacy upstream's channels to a user from there. Users of other origins stay unchanged.
    package func addLoginGrants(of name: String, channels: Set<String>) throws {
        guard let record = try transaction.principal(.user(name)), try User(record).isOfUpstream else { return }
        let held = try AdministratorGrants.read(from: .login(.user(name)), in: transaction)
        guard !channels.isSubset(of: held.channels) else { return }
        try setLoginGrants(of: name, channels: held.channels.union(channels), roles: held.roles)
    }

    /// Ends all sessions of a user. Does nothing for an unknown user.
    package func endSessions(of name: String) throws {
        guard let record = try transaction.principal(.user(name)) else { return }
        var user = try User(record)
        user.endSessions()
        try transaction.setPrincipal(user.record(at: record.sequence))
        try transaction.removeSessions(of: name)
    }

    /// Revokes the channel `*` of a user who saw everything because his old server has no channels. Called when an administrator sets his access.
    private func revokeFullAccess(from user: Grantee) throws {
        let held = try AdministratorGrants.read(from: .login(user), in: transaction)
        try setLoginGrants(of: user.name, channels: held.channels.subtracting([ChannelAccess.everything]), roles: held.roles)
    }

    /// - Parameter limits: Whether an administrator sets the user's access.
    private func record(
        of grantee: Grantee, _ existing: PrincipalRecord?, _ change: AccountChange, limits: Bool
    ) throws -> PrincipalRecord {
        switch grantee.kind {
        case .user:
            var user = try existing.map { try User($0) } ?? User(name: grantee.name)
            if limits, user.readsAll == true { user.readsAll = false }
            return try change.apply(to: user).record(at: .zero)
        case .role:
            return PrincipalRecord(grantee: grantee, sequence: .zero, record: Array("{}".utf8))
        }
    }

    /// The start of the grants in this change.
    ///
    /// A feed goes back for a channel's older documents if its checkpoint is before the grant. In two cases no client can have such a checkpoint,
    /// so the grant starts at zero:
    /// - No client has read a feed or pushed yet.
    /// - The user is new here. His clients have checkpoints of the server that they come from, and their access there is read when they connect.
    ///
    /// - Parameters:
    ///   - isMoving: Whether the user is new here and comes from another server.
    ///   - now: The sequence of this change.
    func since(_ grantee: Grantee, isMoving: Bool, now: @autoclosure () throws -> SequenceNumber) throws -> SequenceNumber {
        if try !transaction.hasReaders { return .zero }
        guard isMoving, grantee.kind == .user, try transaction.upstream() != nil else { return try now() }
        // A user of this name that existed before may have clients here.
        let isKnown = try transaction.grants(to: grantee).contains { $0.giver != .document }
        return isKnown ? try now() : .zero
    }

    /// The setting with the guest's configuration as last applied.
    private static let setting = "access.guest"

    /// Applies the guest's configuration if it differs from the one last applied. Otherwise changes by an administrator persist.
    package func configureGuest(isEnabled: Bool, channels: Set<String>) throws {
        var bytes: [UInt8] = []
        JSONValue.array([.bool(isEnabled)] + channels.sorted().map { .string($0) }).append(to: &bytes)
        let wanted = String(decoding: bytes, as: UTF8.self)
        guard try transaction.setting(Self.setting) != wanted else { return }
        var change = AccountChange()
        change.isDisabled = !isEnabled
        change.channels = channels
        _ = try put(.user(User.guestName), change, isMoving: true)
        try transaction.set(wanted, forSetting: Self.setting)
    }
}
