import Documents
import Storage

/// What a sync function says of a document as it stands.
struct StandingVerdict: Sendable {
    /// Whose function has spoken.
    let collection: CollectionKey

    /// `nil` if the function refuses the winner, or fails on it.
    var winner: SyncVerdict?

    /// The channels of the branches that have lost; none of those that the function refuses.
    var losers: [RevisionID: Set<String>] = [:]
}
