/// Which of a document's indexed columns a change sets.
///
/// SQLite writes the entry of an index anew for every column that a statement names, whether or not its value is another one. The entries of a
/// document are spread over as many pages as it has indexes, so the statement that names the fewest columns writes the fewest pages.
enum PlaceChange {
    /// None of them.
    case nothing

    /// The places in the feeds: a new revision.
    case sequences

    /// The collection, the ID there and the place in its feed: a move, of which the unified keyspace sees nothing.
    case collection

    /// All of them: a document comes to the unified keyspace, or leaves it.
    case anything
}
