import Access
import Documents
import Storage

/// Rows that tell of moves.
extension ChannelChangesReader {
    /// The streams of moved documents that may concern the reader.
    var moves: [FeedSource.Kind] {
        var kinds = [FeedSource.Kind.returns(scope.departureKey)]
        if let departures, !query.activeOnly { kinds.append(.departures(departures)) }
        // Also out of a collection that has been hidden since: the document may have left it before.
        if scope == .unified, !visibility.rights.isUniform { kinds += visibility.rights.collectionKeys.map { .crossings($0) } }
        return kinds
    }

    /// What a document's move tells the reader; `nil` for nothing.
    func moved(_ row: ChannelRow, by kind: FeedSource.Kind) throws -> ChangeRow? {
        switch kind {
        case .departures(let collection): try departure(row, from: collection)
        case .crossings(let collection): try crossing(row, from: collection)
        case .returns: try returned(row)
        case .collections, .channel: nil
        }
    }

    /// A document that was moved out of the collection, where the reader has had it.
    private func departure(_ row: ChannelRow, from collection: CollectionKey) throws -> ChangeRow? {
        let document = row.document
        guard try visibility.saw(document.key, in: collection, until: document.sequence, asked: query) else { return nil }
        return notice(row, document.revision, .moved)
    }

    /// A document that came out of the reader's sight, or into it, because not the same is seen of both collections.
    private func crossing(_ row: ChannelRow, from collection: CollectionKey) throws -> ChangeRow? {
        guard let document = try snapshot.document(row.document.key) else { return nil }
        let sequence = row.document.sequence
        guard let place = try visibility.places(of: document, asked: query).max() else {
            guard try visibility.saw(row.document.key, in: collection, until: sequence, asked: query) else { return nil }
            let isStillSeen = try visibility.sees(row.document.key, in: document.collection)
            guard let revision = isStillSeen ? document.winner : try visibility.removal(of: document) else { return nil }
            var notice = notice(row, revision.text, .removed([ChannelAccess.everything]))
            notice.isStillSeen = isStillSeen
            return notice
        }
        // The channels bring it behind this place, or have brought it to all who did not see it before.
        let sights = try visibility.sights(of: document, in: collection, until: sequence, asked: query)
        guard place < sequence, sights.allSatisfy({ $0 > place }) else { return nil }
        return try change(row.document)
    }

    /// A document that came back, and that the reader has had: what took it out of sight while it was away was told in another feed.
    private func returned(_ row: ChannelRow) throws -> ChangeRow? {
        guard try !visibility.sees(row.document.key, in: row.document.collection), let document = try snapshot.document(row.document.key),
            let revision = try visibility.removal(of: document)
        else { return nil }
        return notice(row, revision.text, .removed([ChannelAccess.everything]))
    }

    private func notice(_ row: ChannelRow, _ revision: String, _ departure: ChangeRow.Departure) -> ChangeRow {
        ChangeRow(
            sequence: row.document.sequence, id: row.document.id, revision: revision, isDeleted: false, departure: departure, bodySize: 0,
            document: row.document.key)
    }
}
