import Documents
import Storage

/// A revision that has a version: how it joins a document's tree, where clients that know no versions find it.
struct VersionedRevision {
    let history: VersionHistory
    let isDeleted: Bool

    /// - Parameters:
    ///   - winner: what has won until now; `nil` for a new document.
    ///   - version: the last version that the document is known under.
    func add(to tree: inout RevisionTree, winner: RevisionID?, version: VersionRecord?, id: String) throws -> (RevisionID, isNew: Bool) {
        guard let winner else {
            let ancestor = history.legacy.first
            let revision = try RevisionDigest.version(parent: ancestor, version: history.vector.current)
            _ = try tree.merge([revision] + (ancestor.map { [$0] } ?? []), isDeleted: isDeleted)
            return (revision, true)
        }
        let document = VersionedDocument(winner: winner, isDeleted: tree.node(winner)?.isDeleted ?? false, version: version)
        switch document.verdict(on: history, isDeletion: isDeleted) {
        case .known: return (winner, false)
        case .conflict: throw GatewayError(.conflict, "Document revision conflict")
        case .wanted: break
        }
        let revision = try RevisionDigest.version(parent: winner, version: history.vector.current)
        guard !tree.contains(revision) else { return (revision, false) }
        try tree.insert(child: revision, of: winner, isDeleted: isDeleted)
        return (revision, true)
    }
}
