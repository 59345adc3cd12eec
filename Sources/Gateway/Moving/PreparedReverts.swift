import Storage

/// Documents that a step is going to put back, as they were when the sync functions were asked.
struct PreparedReverts: Sendable {
    /// The document in the journal behind which they begin.
    let cursor: DocumentKey
    let documents: [PreparedRevert]

    /// The last of them; `nil` if there are none, because the journal has no more behind the cursor.
    var last: DocumentKey? { documents.last?.move.document }
}
