/// One of the documents that a step looks at.
struct PreparedMove: Sendable {
    let candidate: MoveCandidate

    /// `nil` if no route wants it.
    let match: RouteMatch?

    /// What the sync function of its new collection says of it; `nil` if it stays.
    let verdict: StandingVerdict?
}
