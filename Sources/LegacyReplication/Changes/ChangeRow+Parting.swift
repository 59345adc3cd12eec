import Gateway
import Storage

extension ChangeRow {
    /// The row as two, for Couchbase Lite: the last leaf, and before it the others with the sequence before; `nil` for a row with one leaf.
    ///
    /// Couchbase Lite notes each leaf it has stored by the sequence of its row. Where its connection breaks between the leaves of one row,
    /// its checkpoint is past the row already, and it never asks for the rest, with Sync Gateway either. Of two rows, the first leads back
    /// to the second.
    var parted: (others: ChangeRow, last: ChangeRow)? {
        guard let leaf = otherLeaves.last else { return nil }
        return (
            part(Sequence(sequence.value - 1), revision, Array(otherLeaves.dropLast())), part(sequence, leaf, [])
        )
    }

    private func part(_ sequence: Sequence, _ revision: String, _ otherLeaves: [String]) -> ChangeRow {
        var row = ChangeRow(
            sequence: sequence, id: id, revision: revision, otherLeaves: otherLeaves, isDeleted: isDeleted, departure: departure,
            bodySize: bodySize)
        row.trigger = trigger
        row.reached = reached
        return row
    }
}
