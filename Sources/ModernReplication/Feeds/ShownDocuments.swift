import Documents

/// Moved documents that a client is being shown because its edits of them were refused.
struct ShownDocuments {
    let ids: Set<ExactString>

    /// The name of the client's checkpoint.
    let client: String

    /// By which they are sent.
    let feed: ChangesFeed
}
