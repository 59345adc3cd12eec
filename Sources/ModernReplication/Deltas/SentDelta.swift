/// A revision that was sent as a delta, and what it takes to send it whole.
struct SentDelta {
    /// The revision alone.
    let wanted: WantedRevisions

    /// Whether the pull is not at its end before the client has it.
    let isConfirmed: Bool
}
