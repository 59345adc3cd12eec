/// Which way documents go.
public enum ReplicationDirection: String, Sendable, Hashable, CaseIterable {
    /// From here to the server.
    case push
    /// From the server to here.
    case pull
}
