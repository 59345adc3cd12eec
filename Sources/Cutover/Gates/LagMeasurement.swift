/// How far the replication with the legacy upstream is behind.
public enum LagMeasurement: Hashable, Sendable {
    /// So many seconds ago it had last caught up in all its directions; 0 if it has now.
    case seconds(Int64)

    /// It has not caught up since it was started, or does not run: why, in a few words.
    case unknown(String)
}
