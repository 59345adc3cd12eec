/// A permission of one grantee: by whom, and from when to when.
public struct GrantRecord: Hashable, Sendable {
    public let permission: Permission
    public let giver: GrantSource.Giver

    /// With which change it was given.
    public let granted: Sequence

    /// With which change it was taken away; `nil` while it holds.
    public let lost: Sequence?

    public init(permission: Permission, giver: GrantSource.Giver, granted: Sequence, lost: Sequence? = nil) {
        self.permission = permission
        self.giver = giver
        self.granted = granted
        self.lost = lost
    }
}
