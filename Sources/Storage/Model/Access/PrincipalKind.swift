/// The two kinds of grantee.
public enum PrincipalKind: Int64, Hashable, Sendable {
    case user = 0
    case role = 1
}
