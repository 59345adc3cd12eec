import Storage

/// Documents that a step is going to move, as they were when the routes and the sync functions were asked.
struct PreparedMoves: Sendable {
    let documents: [PreparedMove]

    /// The last of them; `nil` if there are none, because the collection has no more.
    var last: DocumentKey? { documents.last?.candidate.record.key }
}
