/// What a sync function decided about a write.
public struct SyncFunctionResult: Hashable, Sendable {
    /// The function refused the write.
    public struct Rejection: Hashable, Sendable {
        /// The HTTP status: 403 for `throw({forbidden})` and failed `require…`, 401 for `throw({unauthorized})`.
        public let status: Int
        /// The text that was thrown, or Sync Gateway's for the `require…` that failed (`sg wrong user`, …).
        public let message: String
    }

    /// The channels that the document is in. `*` alone, if it is in `*`.
    public internal(set) var channels: Set<String> = []
    /// The channels that the document grants, by user name, or role name after `role:`. `*` can't be granted, as in Sync Gateway.
    public internal(set) var access: [String: Set<String>] = [:]
    /// The roles, without `role:`, that the document grants, by user name.
    public internal(set) var roles: [String: Set<String>] = [:]
    /// When the document expires, in Couchbase's form: seconds from now up to 30 days, seconds since 1970 above that. Nil if the
    /// function did not say, or gave something that is no time.
    public internal(set) var expiry: UInt32?
    /// Why the write is refused, if it is; then the rest is empty.
    public internal(set) var rejection: Rejection?

    /// A result that no function was asked for, such as that of Sync Gateway's default sync function.
    public init(channels: Set<String> = []) {
        self.channels = channels
    }
}
