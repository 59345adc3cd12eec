/// Something that is given to somebody.
public struct Grant: Hashable, Sendable {
    public let grantee: Grantee
    public let permission: Permission

    public init(to grantee: Grantee, _ permission: Permission) {
        self.grantee = grantee
        self.permission = permission
    }
}
