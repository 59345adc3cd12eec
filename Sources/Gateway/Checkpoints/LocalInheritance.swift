import Storage

/// Which `_local/` document counts, the one here or the legacy upstream's.
///
/// Upstream's, if there is none here, and if it has changed since it was last looked at: then the client has been there again and comes back.
/// A client talks to one server at a time, and asks for its checkpoint whenever it begins.
struct LocalInheritance {
    let current: LocalDocument?

    /// Upstream's; `nil` if it has none.
    let found: LocalDocument?

    /// What is to stand here.
    var next: LocalDocument? {
        guard var current else { return found }
        let revision = found?.upstreamRevision ?? ""
        if let known = current.upstreamRevision, known != revision, let found { return found }
        current.upstreamRevision = revision
        return current
    }
}
