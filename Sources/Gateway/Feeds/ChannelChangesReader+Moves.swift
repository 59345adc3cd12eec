import Access
import Documents
import Storage

/// Feed rows for moved documents.
extension ChannelChangesReader {
    /// The sources of moved documents that may be relevant to the reader.
    var moves: [FeedSource.Kind] {
        var kinds = [FeedSource.Kind.returns(scope.departureKey)]
        if let departures, !query.activeOnly { kinds.append(.departures(departures)) }
        // Includes collections that have been hidden since: a document may have been moved out of them before.
        if scope == .unified, !visibility.rights.isUniform { kinds += visibility.rights.collectionKeys.map { .crossings($0) } }
        return kinds
    }

    /// The row for a document's move; `nil` if the reader needs none.
    func moved(_ row: ChannelRow, by kind: FeedSource.Kind) throws -> ChangeRow? {
        switch kind {
        case .departures(let collection): try departure(row, from: collection)
        case .crossings(let collection): try crossing(row, from: collection)
        case .returns: try returned(row)
        case .collections, .channel: nil
        }
    }

    /// The row for a document that was moved out of the collection, if the reader had received it.
    private func departure(_ row: ChannelRow, from collection: CollectionKey) throws -> ChangeRow? {
        let document = row.document
        guard try visibility.saw(document.key, in: collection, until: document.sequence, asked: query) else { return nil }
        return notice(row, document.revision, .moved)
    }

    /// The row for a document that became visible or invisible to the reader, because the reader's access differs between the two collections.
    private func crossing(_ row: ChannelRow, from collection: CollectionKey) throws -> ChangeRow? {
        guard let document = try snapshot.document(row.document.key) else { return nil }
        let sequence = row.document.sequence
        guard let place = try visibility.positions(of: document, asked: query).max() else {
            guard try visibility.saw(row.document.key, in: collection, until: sequence, asked: query) else { return nil }
            let isStillSeen = try visibility.sees(row.document.key, in: document.collection)
            guard let revision = isStillSeen ? document.winner : try visibility.removal(of: document) else { return nil }
            var notice = notice(row, revision.text, .removed([ChannelAccess.everything]))
            notice.isStillSeen = isStillSeen
            return notice
        }
        // No row if the channels yield the document at a later position, or have already yielded it to every reader who did not see it before the
        // move.
        let starts = try visibility.visibilityStarts(of: document, in: collection, until: sequence, asked: query)
        guard place < sequence, starts.allSatisfy({ $0 > place }) else { return nil }
        return try change(row.document)
    }

    /// The row for a document that was moved back and is invisible to a reader who had received it. The removal while it was away was announced in
    /// another feed.
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
