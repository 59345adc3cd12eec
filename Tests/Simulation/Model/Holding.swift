import Documents

/// A document as somebody holds it.
struct Holding: Hashable, Sendable, CustomStringConvertible {
    let winner: RevisionID
    let content: Content

    /// The open branches; of those who keep one branch only, the winner.
    let leaves: Set<RevisionID>

    var description: String {
        let others = leaves.subtracting([winner]).sorted().map(\.text)
        return "\(winner) (\(content))\(others.isEmpty ? "" : " beside \(others.joined(separator: ", "))")"
    }
}
