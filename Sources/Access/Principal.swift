/// Who is asking.
public enum Principal: Hashable, Sendable {
    /// Came in by the admin port: may do everything.
    case administrator

    /// Did not log in, and the database lets such people in.
    case guest
}

extension Principal {
    public var isAdministrator: Bool { self == .administrator }
}
