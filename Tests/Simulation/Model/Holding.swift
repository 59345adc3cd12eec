import Documents

/// A document as somebody holds it.
struct Holding: Hashable, Sendable, CustomStringConvertible {
    /// `nil` for a 4.x client, which knows no IDs of trees.
    let winner: RevisionID?
    let content: Content

    /// The open branches; of those who keep one branch only, the winner.
    let leaves: Set<RevisionID>

    var description: String {
        guard let winner else { return "\(content)" }
        let others = leaves.subtracting([winner]).sorted().map(\.text)
        return "\(winner) (\(content))\(others.isEmpty ? "" : " beside \(others.joined(separator: ", "))")"
    }
}
