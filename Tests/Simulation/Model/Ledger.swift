import Documents

/// What was said during a run, by which its end is judged.
final class Ledger {
    struct Acknowledgement: Hashable {
        let client: String
        let server: String
        let place: Place
        let revision: RevisionID
    }

    /// Revisions whose client was told that they are taken, in order.
    private(set) var acknowledged: [Acknowledgement] = []

    /// Bodies that came to a client which had acknowledged them.
    private(set) var repetitions: [Acknowledgement] = []

    /// Revisions that came with another content than they were made with.
    private(set) var alterations: [String] = []
    private var contents: [RevisionID: Content] = [:]

    func acknowledge(_ revision: RevisionID, at place: Place, to client: String, by server: String) {
        acknowledged.append(Acknowledgement(client: client, server: server, place: place, revision: revision))
    }

    func noteRepetition(of revision: RevisionID, at place: Place, to client: String, by server: String) {
        repetitions.append(Acknowledgement(client: client, server: server, place: place, revision: revision))
    }

    /// Remembers what a new revision says, or compares it.
    func note(_ content: Content, of revision: RevisionID, at place: Place) {
        guard let known = contents[revision] else { return contents[revision] = content }
        if known != content { alterations.append("\(place) \(revision): made as \(known), came as \(content)") }
    }
}
