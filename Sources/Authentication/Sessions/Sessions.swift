import Access
package import Storage

/// The sessions of one database.
package struct Sessions: Sendable {
    /// The maximum lifetime of a session, in seconds: ten years.
    package static let maximumTimeToLive: Int64 = 315_360_000

    /// The number of expired sessions that are deleted when a session begins.
    private static let collected = 20

    private let store: any Store
    let clock: AccessClock

    package init(store: any Store, clock: AccessClock = .system) {
        self.store = store
        self.clock = clock
    }

    /// Begins a session.
    ///
    /// - Parameters:
    ///   - timeToLive: The lifetime from the last renewal, in seconds.
    ///   - renews: Whether requests renew the session. `false` if the proof of the login has an expiry.
    ///   - id: A new ID; or an ID of the legacy upstream, whose session continues here.
    /// - Throws: ``AccessError`` `badRequest` if the user is disabled or the lifetime is out of range, `notFound` if there is no such user; errors
    ///   of the store.
    package func create(for name: String, timeToLive: Int64, renews: Bool = true, id: SessionID = SessionID()) async throws -> Session {
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

    /// The session with this ID, without a renewal; `nil` if it is not valid.
    package func find(_ id: SessionID) async throws -> Session? {
        try await lookUp(id)?.session
    }

    /// The session with this ID from a request, renewed if necessary; `nil` if it is not valid.
    package func use(_ id: SessionID) async throws -> Session? {
        guard let (session, record) = try await lookUp(id) else { return nil }
        let now = clock.now()
        guard record.needsRenewal(now: now) else { return session }
        return try await store.write { transaction in
            // The session may have been ended since the read.
            guard var record = try transaction.session(id.key) else { return nil }
            record.expires = now + record.timeToLive
            try transaction.setSession(record)
            return Session(id: id, user: session.user, expires: record.expires, isRenewed: true)
        }
    }

    /// Ends a session.
    ///
    /// - Parameter user: The required owner; `nil` for any.
    /// - Returns: Whether the session existed.
    package func end(_ id: SessionID, of user: String? = nil) async throws -> Bool {
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

    /// The time in which a session for one WebSocket has to be used, in seconds: five minutes, as in Sync Gateway.
    private static let oneTimeToLive: Int64 = 300

    /// Begins a session for exactly one WebSocket, to be opened soon. Its ID is not valid in a cookie.
    ///
    /// - Parameter end: The expiry of the login's proof, in seconds since 1970, if it has one.
    /// - Throws: As ``create(for:timeToLive:renews:id:)``.
    package func createOneTime(for name: String, until end: Int64? = nil) async throws -> SessionID {
        let id = SessionID()
        let time = end.map { min(Self.oneTimeToLive, $0 - clock.seconds) } ?? Self.oneTimeToLive
        _ = try await create(for: name, timeToLive: time, renews: false, id: id.forOneTime)
        return id
    }

    /// Ends and returns the session with this ID; `nil` if it is not valid.
    package func useOnce(_ id: SessionID) async throws -> Session? {
        guard let session = try await find(id.forOneTime), try await end(id.forOneTime) else { return nil }
        return session
    }
}

extension SessionID {
    /// The internal ID of a session for one WebSocket. No cookie can contain it, because it is longer than the limit for IDs.
    fileprivate var forOneTime: SessionID { SessionID(unchecked: "one-time:" + String(repeating: "-", count: 256) + text) }
}
