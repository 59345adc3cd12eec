/// What the login of the replication sees at the legacy upstream.
public enum ScopeMeasurement: Hashable, Sendable {
    /// Every document.
    case everything

    /// The documents of these channels alone, as the configuration asks for.
    case chosen([String])

    /// The documents of these channels alone. Others stay on the old server, and no comparison by this login shows them.
    case channels([String])

    /// It could not be asked: why.
    case unknown(String)
}
