import Documents
import Gateway

/// Revisions that a server had before its half of a checkpoint was written, some of many: by them it is seen that this server has kept what it had.
///
/// A server that goes back in time loses the latest first. Another server that takes its place meanwhile lacks the first, and may have the latest.
/// That is why the first and the last are remembered.
struct HeldRevisions: Sendable {
    struct Entry: Sendable {
        let leaf: LocalRevisionReader.Leaf

        /// For a push: the place here that the checkpoint has when the revision is dealt with.
        let place: FeedPosition

        /// Counts up from the first entry.
        fileprivate let number: Int
    }

    private(set) var entries: [Entry] = []

    /// The number of the next entry.
    private(set) var next = 0

    /// - Parameters:
    ///   - leaves: In the order in which the server had them.
    ///   - kept: How many of the first are remembered, and how many of the last.
    mutating func add(_ leaves: [LocalRevisionReader.Leaf], at place: FeedPosition = .zero, keeping kept: Int) {
        for leaf in leaves {
            entries.append(Entry(leaf: leaf, place: place, number: next))
            next += 1
        }
        if entries.count > 2 * kept { entries.removeSubrange(kept..<entries.count - kept) }
    }

    /// Forgets the entries before a number.
    mutating func removeAll(before number: Int) {
        entries.removeAll { $0.number < number }
    }

    /// The entries that a server says it lacks.
    func lost(by lacking: [ExactString: RevisionsDifference]) -> [Entry] {
        entries.filter { lacking[ExactString($0.leaf.id)]?.missing.contains($0.leaf.revision) ?? false }
    }
}
