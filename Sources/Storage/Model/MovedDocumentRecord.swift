/// A document that a run has moved, as it is now.
public struct MovedDocumentRecord: Sendable {
    public let move: MoveRecord

    /// `nil` if it was purged.
    public let document: DocumentRecord?

    /// The winning revision's body; `nil` if it never came.
    public let winnerBody: StoredBody?
}
