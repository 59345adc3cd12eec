import Storage

/// One of the documents that a step puts back.
struct PreparedRevert: Sendable {
    let move: MoveRecord

    /// The document as it was read; `nil` if it was purged.
    let standing: StandingCase?

    /// What the sync function of the collection to which it goes back says of it.
    let verdict: StandingVerdict?

    /// Whether the routes want it elsewhere, as they do unless they were changed.
    let isMisplaced: Bool
}
