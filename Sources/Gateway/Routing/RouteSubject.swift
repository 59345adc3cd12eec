import Documents

/// What routes look at: a document's legacy ID and content, and what JavaScript predicates said of it.
struct RouteSubject {
    let id: String
    let body: [UInt8]

    /// The document's channels by its collection's sync function.
    let channels: Set<String>

    /// For each rule with a predicate, by its index, what the predicate said.
    let verdicts: [Int: Bool]
}
