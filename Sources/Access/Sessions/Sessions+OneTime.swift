import Storage

extension Sessions {
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
