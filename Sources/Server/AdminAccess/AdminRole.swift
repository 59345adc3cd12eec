/// What somebody may do on the admin port. Each role may do what the roles before it may.
public enum AdminRole: String, CaseIterable, Comparable, Hashable, Sendable {
    /// Looks at everything and changes nothing.
    case readOnly = "read-only"

    /// Runs the bridge from day to day: cutover, migrations, replications, sessions, logs.
    case `operator`

    /// May do everything.
    case administrator

    public static func < (a: AdminRole, b: AdminRole) -> Bool { a.rank < b.rank }

    private var rank: Int {
        switch self {
        case .readOnly: 0
        case .operator: 1
        case .administrator: 2
        }
    }
}
