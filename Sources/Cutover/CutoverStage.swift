/// Where a database stands in its cutover (docs/protocol/model.md#cutover-stages), in the order in which a team goes through them.
package enum CutoverStage: String, Hashable, Sendable, CaseIterable {
    /// The old server is copied; the fleet is still there.
    case shadow

    /// Both servers take writes, and give them to each other. Devices may be on either.
    case dual

    /// The fleet is here. The old server is still told everything, so that going back is safe, and nothing is taken from it.
    case switched

    /// The old server is let go.
    case complete

    /// Clients of 1.x are refused, and told why.
    case sunset

    /// Whether documents are taken from the legacy upstream.
    package var pullsFromLegacy: Bool { self == .shadow || self == .dual }

    /// Whether documents are given to the legacy upstream.
    package var pushesToLegacy: Bool { self == .dual || self == .switched }

    /// Whether the legacy upstream is not spoken to at all.
    package var isDetached: Bool { !pullsFromLegacy && !pushesToLegacy }

    /// Whether clients that come over from the legacy upstream go on where they were there.
    ///
    /// Once nothing is pulled any more, what they have given it since is not here: their checkpoints there would have them keep it back. Then they
    /// begin anew, which costs rows of the feed and IDs, and no documents.
    package var inheritsCheckpoints: Bool { pullsFromLegacy }

    /// Whether clients of 1.x are served.
    ///
    /// In `shadow`, too: refusing those that are tried out here would make them stop for good, and refusing single writes would make 2.x+
    /// clients pass over them. What is written here in `shadow` stays here until `dual` gives it to the old server.
    package var servesLegacyClients: Bool { self != .sunset }

    /// What the stage means, in a sentence.
    package var meaning: String {
        switch self {
        case .shadow: "the old server is copied here; the fleet is there"
        case .dual: "both servers take writes and give them to each other"
        case .switched: "the fleet is here; the old server is kept up to date, so that going back is safe"
        case .complete: "the old server is let go"
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
