import Documents
public import Storage

/// Changes users and roles within a transaction.
public struct AccountEditor {
    let transaction: any StoreTransaction

    public init(_ transaction: any StoreTransaction) {
        self.transaction = transaction
    }

    /// Creates or changes a user or role.
    ///
    /// - Parameters:
    ///   - replacing: whether there may be one already.
    ///   - isMoving: whether a new one may come from another server, where it had the same before.
    /// - Returns: Whether it was created.
    /// - Throws: ``AccessError`` `alreadyExists`, or `badRequest` if a name is not allowed. Else what the store throws.
    public func put(_ grantee: Grantee, _ change: AccountChange, replacing: Bool = true, isMoving: Bool = false) throws -> Bool {
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
            try takeEverything(from: grantee)
        }
        return existing == nil
    }

    /// Removes a user with his sessions, or a role.
    ///
    /// - Throws: ``AccessError`` `notFound`, or `notAllowed` for the guest. Else what the store throws.
    public func remove(_ grantee: Grantee) throws {
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

    /// Sets what a verifier of logins says that a user has, beside what administrators and documents give.
    ///
    /// - Parameter isMoving: whether the user is new here, and comes from another server.
    /// - Throws: ``AccessError`` `notFound`, or `badRequest` if a name is not allowed. Else what the store throws.
    public func setLoginGrants(of name: String, channels: Set<String>, roles: Set<String> = [], isMoving: Bool = false) throws {
        let user = Grantee.user(name)
        guard try transaction.principal(user) != nil else { throw AccessError(.notFound, "missing") }
        try AdministratorGrants(channels: channels, roles: roles).validate()
        let permissions = channels.map { Permission.channel($0.composed, .default) } + roles.map { .role($0) }
        try transaction.setGrants(
            Set(permissions.map { Grant(to: user, $0) }), from: .login(user),
            at: try since(user, isMoving: isMoving, now: try transaction.nextSequence()))
    }

    /// Gives a user of the legacy upstream its channels, beside those that he has here. A user of another origin keeps his channels.
    public func addLoginGrants(of name: String, channels: Set<String>) throws {
        guard let record = try transaction.principal(.user(name)), try User(record).isOfUpstream else { return }
        let held = try AdministratorGrants.read(from: .login(.user(name)), in: transaction)
        guard !channels.isSubset(of: held.channels) else { return }
        try setLoginGrants(of: name, channels: held.channels.union(channels), roles: held.roles)
    }

    /// Ends all sessions of a user. A user who is not there has none.
    public func endSessions(of name: String) throws {
        guard let record = try transaction.principal(.user(name)) else { return }
        var user = try User(record)
        user.endSessions()
        try transaction.setPrincipal(user.record(at: record.sequence))
        try transaction.removeSessions(of: name)
    }

    /// An administrator has said what somebody sees who saw everything because his old server has no channels.
    private func takeEverything(from user: Grantee) throws {
        let held = try AdministratorGrants.read(from: .login(user), in: transaction)
        try setLoginGrants(of: user.name, channels: held.channels.subtracting([ChannelAccess.everything]), roles: held.roles)
    }

    /// - Parameter limits: whether an administrator says what the user sees.
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

    /// Since when somebody has what he is given now.
    ///
    /// A feed goes back for a channel's older documents if its place is before the grant. Nobody can hold such a place where no device has read a
    /// feed or pushed yet, nor can the devices of a user who is new here: those have places in the feed of the server that they come from, and what they had
    /// there is learned when they come. So the grant counts from the beginning.
    ///
    /// - Parameters:
    ///   - isMoving: whether the user is new here, and comes from another server.
    ///   - now: the sequence of this change.
    func since(_ grantee: Grantee, isMoving: Bool, now: @autoclosure () throws -> SequenceNumber) throws -> SequenceNumber {
        if try !transaction.hasReaders { return .zero }
        guard isMoving, grantee.kind == .user, try transaction.upstream() != nil else { return try now() }
        // A name that was there before may have devices here.
        let isKnown = try transaction.grants(to: grantee).contains { $0.giver != .document }
        return isKnown ? try now() : .zero
    }

    /// The setting that holds what the configuration last said of the guest.
    private static let setting = "access.guest"

    /// Gives the guest what the configuration says, if it says something else than when it was last applied. What was changed on the
    /// admin port meanwhile stays otherwise.
    public func configureGuest(isEnabled: Bool, channels: Set<String>) throws {
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
