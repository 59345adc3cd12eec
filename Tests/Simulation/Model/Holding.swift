import Documents

/// A document as a client or server has it.
struct Holding: Hashable, Sendable, CustomStringConvertible {
    /// `nil` for a 4.x client, which has no IDs of trees.
    let winner: RevisionID?
    let content: Content

    /// The open branches; the winner for clients that keep one branch only.
    let leaves: Set<RevisionID>

    var description: String {
        guard let winner else { return "\(content)" }
        let others = leaves.subtracting([winner]).sorted().map(\.text)
        return "\(winner) (\(content))\(others.isEmpty ? "" : " beside \(others.joined(separator: ", "))")"
    }
}
