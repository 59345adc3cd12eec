import Documents
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

    /// The revision's ID in the tree, as clients know it that know no versions.
    let revision: String

    /// Its version, for a client that knows no IDs of trees.
    let version: VersionVector?

    /// What the row ends in: the flags of the protocol's version, 0 for none.
    let flags: Int

    /// Whether the document lives in another collection now, and stands for the client's copy here.
    var isMoved = false

    /// Whether the row takes the document from the client.
    var isDeparture = false

    /// The revision as the client knows it.
    var name: String { version?.current.description ?? revision }
}
