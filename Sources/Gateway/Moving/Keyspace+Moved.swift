import Documents
import Storage

extension Keyspace {
    /// Documents that were moved away from here, as rows of the feed in which they no longer stand: what a client that has edited its copy has to
    /// resolve against.
    ///
    /// - Parameter position: the place that the rows are given.
    /// - Returns: A row for each of them that lives elsewhere now and may be seen there.
    public func moved(_ ids: [String], at position: FeedPosition) async throws -> [ChangeRow] {
        let keyspace = self
        return try await readEach(ids) { id, visibility in
            guard try keyspace.locate(id, in: visibility.snapshot, followingMoves: false) == nil,
                let document = try keyspace.visible(id, in: visibility)
            else { return nil }
            var row = ChangeRow(
                sequence: position.sequence, id: id, revision: document.winner.text, isDeleted: document.flags.contains(.deleted),
                bodySize: 0, document: document.key)
            row.trigger = position.trigger
            return row
        }
    }
}
