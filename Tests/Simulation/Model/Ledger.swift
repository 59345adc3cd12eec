import Documents
import Storage

/// What was said during a run, by which its end is judged.
final class Ledger {
    struct Acknowledgement: Hashable {
        let client: String
        let server: String
        let place: Place

        /// An ID in a tree, or a version.
        let revision: String
    }

    /// A version that a 4.x client has pushed.
    struct PushedVersion: Hashable {
        let acknowledgement: Acknowledgement
        let content: Content

        /// The contents that it may have been written over; `nil` where somebody else has made it, and its client gives back to a restored server
        /// what that has lost.
        let seen: Set<Content>?
    }

    /// Revisions whose client was told that they are taken, in order, each with its number.
    private var told: [(number: Int, what: Acknowledgement)] = []

    /// What servers have told clients of documents, each with its number.
    private var shown: [(number: Int, server: String, place: Place, content: Content)] = []

    /// Documents of which clients were told what their server, restored from a backup, does not know.
    private var lostShown: [String: Set<Place>] = [:]

    /// Documents of which a restored server has told clients in the lost time, whether it still has the same of them or not.
    private var toldInLostTime: [String: Set<Place>] = [:]

    /// Servers that were put back to a backup.
    private var restored: Set<String> = []

    /// The number of the next acknowledgement or telling.
    private(set) var mark = 0
    private(set) var versions: [PushedVersion] = []

    /// What was acknowledged and lost with a server that was restored from a backup.
    private(set) var lost: Set<Acknowledgement> = []

    /// Where servers had documents before they were restored, and not afterwards: a move was lost, or comes by other routes.
    private var lostPlaces: [String: Set<Place>] = [:]

    /// Bodies that came to a client which had acknowledged them.
    private(set) var repetitions: [Acknowledgement] = []

    /// Revisions that came with another content than they were made with.
    private(set) var alterations: [String] = []

    /// Contents that came to a client which may not see them.
    private(set) var leaks: [String] = []

    /// Conflicts that a 4.x client was shown which had edited nothing.
    private(set) var falseConflicts: [String] = []

    /// Revisions that a server has asked a client for which had not changed them.
    private(set) var needless: [Acknowledgement] = []

    /// Where an app that has gained collections may bring a document as another one: its server cannot tell it from one.
    private(set) var mayBeCopied: Set<Place> = []

    /// Documents that a 4.x database had edited, and told nobody of, when it was copied, by its name and that of the copy.
    ///
    /// Both have a version of the same name from then on. Where the one keeps it through a conflict and the other gives it up, the other has the version in its
    /// vector, refuses what its server has under it (LiteCore), and stays as it is.
    private var copiedEdits: [String: Set<Place>] = [:]

    /// What upstreams have refused.
    private(set) var refused: [Upstream: Set<RefusedRevision>] = [:]

    private(set) var happenings: [Happening: Int] = [:]
    private var contents: [String: Content] = [:]

    func happen(_ happening: Happening) { happenings[happening, default: 0] += 1 }

    var acknowledged: [Acknowledgement] { told.map(\.what) }

    func acknowledge(_ revision: String, at place: Place, to client: String, by server: String) {
        told.append((mark, Acknowledgement(client: client, server: server, place: place, revision: revision)))
        mark += 1
    }

    func recordUpstreamShown(_ content: Content, at place: Place, by server: String) {
        shown.append((mark, server, place, content))
        mark += 1
    }

    /// Remembers a version of a 4.x client with what its maker had seen. A device that was put back to a backup gets its own versions by a pull, and may push
    /// them once more.
    func note(_ version: PushedVersion) {
        if !versions.contains(where: { $0.acknowledgement == version.acknowledgement }) { versions.append(version) }
    }

    func noteRepetition(of revision: String, at place: Place, to client: String, by server: String) {
        repetitions.append(Acknowledgement(client: client, server: server, place: place, revision: revision))
    }

    func noteUnneeded(_ revision: String, at place: Place, from client: String, by server: String) {
        guard !mayBeCopied.contains(place) else { return }
        // A restored server takes an older version of its own for lost: it keeps those alone under which the document may be known as it is.
        if restored.contains(server), Version(revision) != nil { return }
        // An app that has gained collections has it from the time when it named none.
        let former = place.keyspace == Subject.collections[0] ? [Place(keyspace: "", id: place.id)] : []
        // The server has lost which version it gave the document, or which client of its unified keyspace it told of it.
        let lost = toldInLostTime[server, default: []]
        for place in [place] + former where hasLost(place, by: server) || lost.contains(place) || hasLostPlace(place, by: server) { return }
        needless.append(Acknowledgement(client: client, server: server, place: place, revision: revision))
    }

    func refuse(_ revisions: [RefusedRevision], by upstream: Upstream) {
        refused[upstream, default: []].formUnion(revisions)
        for revision in revisions { happen(revision.direction == .push ? .refusedPush : .refusedPull) }
    }

    func allowCopy(at place: Place) { mayBeCopied.insert(place) }

    func noteCopiedEdits(_ places: Set<Place>, of client: String) { copiedEdits[client, default: []].formUnion(places) }

    func hasCopiedEdit(_ place: Place, _ client: String) -> Bool {
        copiedEdits[client, default: []].contains { Subject.legacyID(of: $0) == Subject.legacyID(of: place) }
    }

    func noteLeak(_ leak: String) { leaks.append(leak) }

    func noteFalseConflict(_ conflict: String, at place: Place, isUpgraded: Bool) {
        // What an upgraded database said in the lost time, of a document that has not changed since, is not asked for.
        if isUpgraded, toldInLostTime.values.contains(where: { $0.contains(place) }) { return }
        // A server that was restored from a backup has forgotten what it was told, and says something else beside it.
        guard !lostShown.values.contains(where: { $0.contains(place) }) else { return }
        if !Server.names.contains(where: { hasLost(place, by: $0) }) { falseConflicts.append("\(place): \(conflict)") }
    }

    /// Remembers what a new revision says, or compares it.
    func note(_ content: Content, of revision: String, at place: Place) {
        note(content, of: revision, at: place, Self.key(revision, place))
    }

    /// The same for the ID in a tree that is made of a version. Documents of one name in two places may have the same version.
    func note(_ content: Content, ofVersioned revision: RevisionID, at place: Place) {
        note(content, of: revision.text, at: place, "\(place) \(revision.text)")
    }

    private func note(_ content: Content, of revision: String, at place: Place, _ key: String) {
        guard let known = contents[key] else { return contents[key] = content }
        if known != content { alterations.append("\(place) \(revision): made as \(known), came as \(content)") }
    }

    /// What a revision says, if somebody has seen it.
    func content(of revision: String, at place: Place) -> Content? {
        contents["\(place) \(revision)"] ?? contents[Self.key(revision, place)]
    }

    /// Revisions are a document's own. IDs in trees go with it when it moves to another place; versions are made for each.
    private static func key(_ revision: String, _ place: Place) -> String {
        revision.contains("@") ? "\(place) \(revision)" : "\(Subject.legacyID(of: place)) \(revision)"
    }

    /// Whether a server was told something of a document and has lost it with a restored backup. 2.x+ clients, which know that it had it, do not
    /// tell it again unless it knows less of their checkpoints than they do.
    func hasLost(_ place: Place, by server: String) -> Bool {
        lost.contains { $0.server == server && Subject.legacyID(of: $0.place) == Subject.legacyID(of: place) }
    }

    /// Whether a server was put back to a backup.
    func wasRestored(_ server: String) -> Bool { restored.contains(server) }

    /// Whether a server has told clients of a document in a time that it has lost: it takes nothing back that it does not know to have shown.
    func hasToldInLostTime(_ place: Place, by server: String) -> Bool { toldInLostTime[server]?.contains(place) ?? false }

    /// Whether a server has shown a document to clients and lost that with a restored backup.
    func hasLostShown(_ place: Place, by server: String) -> Bool { lostShown[server]?.contains(place) ?? false }

    func lose(_ places: Set<Place>, by server: String) { lostPlaces[server, default: []].formUnion(places) }

    /// Whether a restored server had a document in a place in which it is no more: clients of the place keep their copies.
    func hasLostPlace(_ place: Place, by server: String) -> Bool { lostPlaces[server]?.contains(place) ?? false }

    /// A server goes back to what it was at a mark: what it has said since, it knows nothing of.
    ///
    /// - Parameter contents: What it has now.
    func lose(by server: String, after mark: Int, having contents: [Place: Content]) {
        restored.insert(server)
        for telling in shown where telling.number >= mark && telling.server == server {
            toldInLostTime[server, default: []].insert(telling.place)
            if contents[telling.place] != telling.content { lostShown[server, default: []].insert(telling.place) }
        }
        let gone = told.filter { $0.number >= mark && $0.what.server == server }.map(\.what)
        lost.formUnion(gone)
        told.removeAll { $0.number >= mark && $0.what.server == server }
        versions.removeAll { gone.contains($0.acknowledgement) }
    }
}
