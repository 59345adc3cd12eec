public import Storage

/// Who is asking.
public enum Principal: Hashable, Sendable {
    /// Came in by the admin port: may do everything.
    case administrator

    /// Did not log in, and the database lets such people in.
    case guest

    /// Logged in under this name.
    case user(String)
}

extension Principal {
    public var isAdministrator: Bool { self == .administrator }

    /// The name by which sync functions and sessions know the user; `nil` for an administrator and the guest.
    public var userName: String? {
        if case .user(let name) = self { name } else { nil }
    }

    /// Under which name grants are kept; `nil` for an administrator, who needs none.
    public var grantee: Grantee? {
        switch self {
        case .administrator: nil
        case .guest: .user(User.guestName)
        case .user(let name): .user(name)
        }
    }
}
