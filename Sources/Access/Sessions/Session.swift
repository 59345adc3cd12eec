import Storage

/// A login that lasts, with what its owner has to know of it.
public struct Session: Sendable {
    public let id: SessionID
    public let user: User

    /// Milliseconds since 1970.
    public let expires: Int64

    /// Whether this request has prolonged it, so that the client has to be told.
    public let isRenewed: Bool
}

extension SessionRecord {
    /// Whether it still lets its owner in.
    func isValid(for user: User, now: Int64) -> Bool {
        now < expires && generation == user.sessionGeneration && !user.isDisabled && !user.isGuest
    }

    /// Whether it is time to prolong it: more than a tenth of its time has passed since the last renewal, as in Sync Gateway. One without a time to
    /// live has a fixed end.
    func needsRenewal(now: Int64) -> Bool {
        let renewed = expires - timeToLive
        return now - renewed > timeToLive / 10
    }
}
