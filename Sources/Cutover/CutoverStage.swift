/// Stage of a database's cutover (docs/protocol/model.md#cutover-stages), in the order of the migration.
package enum CutoverStage: String, Hashable, Sendable, CaseIterable {
    /// Documents are replicated from the old server; clients still use the old server.
    case shadow

    /// Both servers accept writes and replicate them to each other. Clients may use either server.
    case dual

    /// Clients use the bridge. Changes are still pushed to the old server, so that reversing is safe. Nothing is pulled from it.
    case switched

    /// The old server is detached.
    case complete

    /// Requests of 1.x clients are refused with an explanation.
    case sunset

    /// Whether the replication pulls from the legacy upstream.
    package var pullsFromLegacy: Bool { self == .shadow || self == .dual }

    /// Whether the replication pushes to the legacy upstream.
    package var pushesToLegacy: Bool { self == .dual || self == .switched }

    /// Whether the bridge makes no requests to the legacy upstream.
    package var isDetached: Bool { !pullsFromLegacy && !pushesToLegacy }

    /// Whether clients that move from the legacy upstream continue from their checkpoints there.
    ///
    /// After the last pull stage, documents that clients have since pushed to the legacy upstream are missing here. A client that continued from
    /// its checkpoint there would not push them again. Without inheritance clients start from sequence zero, which costs feed rows and ID
    /// requests, but no document transfers.
    package var inheritsCheckpoints: Bool { pullsFromLegacy }

    /// Whether requests of 1.x clients are served.
    ///
    /// This includes `shadow`: a refused 1.x client under test would stop for good, and 2.x+ clients skip documents whose single write is
    /// refused. Documents written here in `shadow` reach the old server only once `dual` pushes them.
    package var servesLegacyClients: Bool { self != .sunset }

    /// One-clause description of the stage for messages.
    package var meaning: String {
        switch self {
        case .shadow: "the bridge copies the old server; clients use the old server"
        case .dual: "both servers accept writes and replicate them to each other"
        case .switched: "clients use the bridge; the old server is kept up to date, so that a step back is safe"
        case .complete: "the replication with the old server has ended"
        case .sunset: "1.x clients are refused"
        }
    }

    /// The stage after this one; `nil` for the last.
    package var next: CutoverStage? { neighbour(1) }

    /// The stage before this one; `nil` for the first.
    package var previous: CutoverStage? { neighbour(-1) }

    private func neighbour(_ distance: Int) -> CutoverStage? {
        Self.allCases.firstIndex(of: self).flatMap { index in
            Self.allCases.indices.contains(index + distance) ? Self.allCases[index + distance] : nil
        }
    }
}
