import Gateway

/// Rows of a `changes` message that the client has yet to answer.
struct AnnouncedChanges {
    let collection: CollectionHandle
    let feed: ChangesFeed
    let rows: [AnnouncedRow]
}

/// One of its rows: a revision that the client may ask for.
struct AnnouncedRow: Sendable, Equatable {
    /// As it stands in the row, which the `rev` has to repeat to the letter.
    let sequence: String
    let id: String

    /// The revision's ID as the client knows it.
    let revision: String

    /// Whether the row says only that the document has left, so that there is nothing to ask for.
    let isRemoval: Bool
}
