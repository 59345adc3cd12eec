/// Who writes, as a sync function's `requireUser`, `requireRole` and `requireAccess` see it; the function itself can't.
public struct SyncFunctionUser: Hashable, Sendable {
    /// The name; empty for the guest, who is checked like everybody.
    public let name: String
    /// The names of the user's roles, without `role:`.
    public let roles: [String]
    /// The channels that the user has in the collection, those of its roles included. `*` is a channel like any other here: it lets a
    /// user read everything, but meets no `requireAccess("x")`, as in Sync Gateway (issue 787 there).
    public let channels: [String]

    /// A user, with what it has at the time of the write.
    public init(name: String, roles: [String] = [], channels: [String] = []) {
        self.name = name
        self.roles = roles
        self.channels = channels
    }
}
