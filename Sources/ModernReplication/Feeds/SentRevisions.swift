import Documents

/// The revisions that were sent to a client last, by document: it may not have stored them yet when it says what it has.
struct SentRevisions {
    /// How many documents are remembered: more than are on their way at a time.
    private static let limit = 1_000

    private var recent: [ExactString: String] = [:]
    private var earlier: [ExactString: String] = [:]

    subscript(id: String) -> String? {
        let id = ExactString(id)
        return recent[id] ?? earlier[id]
    }

    mutating func note(_ revision: String, of id: String) {
        if recent.count >= Self.limit / 2 {
            earlier = recent
            recent = [:]
        }
        recent[ExactString(id)] = revision
    }
}
