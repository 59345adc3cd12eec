import Documents
import Storage

extension Parking {
    /// Of how many refused revisions a checkpoint speaks at most. Those behind count as pushed: only a restored server shows the difference.
    private static var sequencesLimit: Int { 1_000 }

    /// Where the refused pushes of a keyspace stand in its feed, in order, as far as they are still what is to be pushed of their documents.
    ///
    /// A server is not told that it has these. What it takes later, when it is tried again, is then offered to it once more, and is not lost where
    /// the server is restored from a backup that was made between.
    public func refusedSequences(in keyspace: Keyspace) async throws -> [Int64] {
        var selection = ParkedSelection(replication: replication, direction: .push, collection: keyspace.parkingName)
        selection.includesForgotten = true
        return try await keyspace.read { [selection] snapshot in
            var sequences: Set<Int64> = []
            for entry in try snapshot.store.parked(selection, by: .firstRefused, skip: 0, limit: Self.sequencesLimit) {
                guard let document = try snapshot.document(entry.id), let refused = RevisionID(entry.revision),
                    let node = document.tree.lookup(modern: refused), document.tree.leaves.contains(where: { $0.id == node.id })
                else { continue }
                let record = document.record
                let sequence = snapshot.keyspace.scope == .unified ? record.sequence : record.collectionSequence
                if let sequence { sequences.insert(sequence.value) }
            }
            return sequences.sorted()
        }
    }
}
