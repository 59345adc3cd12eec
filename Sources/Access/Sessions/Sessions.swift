public import Storage

/// The sessions of one database.
public struct Sessions: Sendable {
    /// How long one may last, in seconds: ten years.
    public static let maximumTimeToLive: Int64 = 315_360_000

    /// How many that have expired are forgotten when one begins.
    private static let collected = 20

    private let store: any Store
    let clock: AccessClock

    public init(store: any Store, clock: AccessClock = .system) {
        self.store = store
        self.clock = clock
    }

    /// Begins a session.
    ///
    /// - Parameters:
    ///   - timeToLive: seconds from the last renewal on.
    ///   - renews: whether requests prolong it. Not where the proof that it began with has an end.
    ///   - id: one that nobody has had; or the legacy upstream's, whose session goes on here.
    /// - Throws: ``AccessError`` `badRequest` if the user is disabled or the time is out of range, `notFound` if there is no such user. Else what the store throws.
    public func create(for name: String, timeToLive: Int64, renews: Bool = true, id: SessionID = SessionID()) async throws -> Session {
        guard (1...Self.maximumTimeToLive).contains(timeToLive) else { throw AccessError(.badRequest, "Invalid or missing ttl") }
        let now = clock.now()
        return try await store.write { transaction in
            guard let record = try transaction.principal(.user(name)), name != User.guestName else {
                throw AccessError(.notFound, "No such user \"\(name)\"")
            }
            let user = try User(record)
            guard !user.isDisabled else { throw AccessError(.badRequest, "User is disabled") }
            try transaction.removeSessions(expiredBefore: now, limit: Self.collected)
            let session = SessionRecord(
                key: id.key, user: name, generation: user.sessionGeneration, created: now, expires: now + timeToLive * 1000,
                timeToLive: renews ? timeToLive * 1000 : 0)
            try transaction.setSession(session)
            return Session(id: id, user: user, expires: session.expires, isRenewed: true)
        }
    }

    /// The session of an ID, without prolonging it; `nil` if it lets nobody in.
    public func find(_ id: SessionID) async throws -> Session? {
        try await lookUp(id)?.session
    }

    /// The session of an ID that a request brought, prolonged when it is time; `nil` if it lets nobody in.
    public func use(_ id: SessionID) async throws -> Session? {
        guard let (session, record) = try await lookUp(id) else { return nil }
        let now = clock.now()
        guard record.needsRenewal(now: now) else { return session }
        return try await store.write { transaction in
            // It may have been ended since it was read.
            guard var record = try transaction.session(id.key) else { return nil }
            record.expires = now + record.timeToLive
            try transaction.setSession(record)
            return Session(id: id, user: session.user, expires: record.expires, isRenewed: true)
        }
    }

    /// Ends a session.
    ///
    /// - Parameter user: whose it has to be; `nil` for anybody's.
    /// - Returns: Whether it was there.
    public func end(_ id: SessionID, of user: String? = nil) async throws -> Bool {
        try await store.write { transaction in
            guard let record = try transaction.session(id.key), user == nil || record.user == user else { return false }
            return try transaction.removeSession(id.key)
        }
    }

    private func lookUp(_ id: SessionID) async throws -> (session: Session, record: SessionRecord)? {
        let now = clock.now()
        return try await store.read { snapshot in
            guard let record = try snapshot.session(id.key), let principal = try snapshot.principal(.user(record.user)) else { return nil }
            let user = try User(principal)
            guard record.isValid(for: user, now: now) else { return nil }
            return (Session(id: id, user: user, expires: record.expires, isRenewed: false), record)
        }
    }

    /// How long a session for one WebSocket waits to be used, in seconds: five minutes, as in Sync Gateway.
    private static let oneTimeToLive: Int64 = 300

    /// Begins a session that lets in one WebSocket, soon, and nothing else: it is kept apart from those of cookies.
    ///
    /// - Parameter end: when the proof that it begins with ends, in seconds since 1970, if it does.
    /// - Throws: as ``create(for:timeToLive:renews:id:)``.
    public func createOneTime(for name: String, until end: Int64? = nil) async throws -> SessionID {
        let id = SessionID()
        let time = end.map { min(Self.oneTimeToLive, $0 - clock.seconds) } ?? Self.oneTimeToLive
        _ = try await create(for: name, timeToLive: time, renews: false, id: id.forOneTime)
        return id
    }

    /// The session of an ID, which ends by this; `nil` if it lets nobody in.
    public func useOnce(_ id: SessionID) async throws -> Session? {
        guard let session = try await find(id.forOneTime), try await end(id.forOneTime) else { return nil }
        return session
    }
}

extension SessionID {
    /// Under what a session for one WebSocket is kept. No cookie can name it: it is longer than what is taken for an ID.
    fileprivate var forOneTime: SessionID { SessionID(kept: "one-time:" + String(repeating: "-", count: 256) + text) }
}
