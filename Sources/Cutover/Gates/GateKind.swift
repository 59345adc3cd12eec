/// What is looked at before a step.
public enum GateKind: String, Hashable, Sendable, CaseIterable {
    /// Whether both servers have the same documents, by comparing all of them.
    case parity

    /// Whether the login at the legacy upstream sees all of its documents.
    case scope

    /// How long ago the replication with the legacy upstream had last caught up.
    case lag

    /// Revisions that one side has refused.
    case parked

    /// Documents that could become conflicts on the old server, because it has missed too much of their history.
    case history

    /// Clients of 1.x that were seen lately, by their requests, open feeds and checkpoints.
    case oldClients

    /// What is counted.
    public var unit: String {
        switch self {
        case .parity, .history: "documents"
        case .scope: "logins"
        case .lag: "seconds"
        case .parked: "revisions"
        case .oldClients: "clients"
        }
    }
}
