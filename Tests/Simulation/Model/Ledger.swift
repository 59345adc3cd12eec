import Documents
import Storage

/// The messages of a run, for the checks at its end.
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

        /// The contents that it may have overwritten; `nil` if another client has created it, and this client returns it to a restored server that
        /// has lost it.
        let seen: Set<Content>?
    }

    /// Revisions whose client got an acknowledgement, in order, each with its number.
    private var acknowledgements: [(number: Int, what: Acknowledgement)] = []

    /// Documents that servers have sent to clients, each with its number.
    private var shown: [(number: Int, server: String, place: Place, content: Content)] = []

    /// Documents that were sent to clients, and that their server has lost in a restore.
    private var lostShown: [String: Set<Place>] = [:]

    /// Documents that a restored server has sent to clients in the lost time, changed by the restore or not.
    private var sentInLostTime: [String: Set<Place>] = [:]

    /// 2.x clients that have moved between the old server and the bridge, which are one server for them.
    private var moved: Set<String> = []

    /// Servers that were restored from a backup.
    private var restored: Set<String> = []

    /// The number of the next acknowledgement or sent document.
    private(set) var mark = 0
    private(set) var versions: [PushedVersion] = []

    /// Acknowledged revisions that were lost with a server's restore.
    private(set) var lost: Set<Acknowledgement> = []

    /// Collections in which servers had documents before they were restored, and not afterwards: a move was lost, or was repeated by other routes.
    private var lostPlaces: [String: Set<Place>] = [:]

    /// Bodies that were sent to a client which had acknowledged them.
    private(set) var repetitions: [Acknowledgement] = []

    /// Revisions that were sent with another content than their original one.
    private(set) var alterations: [String] = []

    /// Contents that were sent to a client without access to them.
    private(set) var leaks: [String] = []

    /// Conflicts of a 4.x client that had edited nothing.
    private(set) var falseConflicts: [String] = []

    /// Revisions that a server has requested from a client which had not changed them.
    private(set) var needless: [Acknowledgement] = []

    /// Documents that an app with new collections may push as others, because its server cannot recognise them.
    private(set) var mayBeCopied: Set<Place> = []

    /// Documents of a 4.x database with unsent edits at the time of a copy, by its name and that of the copy.
    ///
    /// Both have a version of the same name from then on. If one keeps it through a conflict and the other discards it, the other has the version in
    /// its vector, refuses its server's content under it (LiteCore), and stays as it is.
    private var copiedEdits: [String: Set<Place>] = [:]

    /// Revisions that upstreams have refused.
    private(set) var refused: [Upstream: Set<RefusedRevision>] = [:]

    private(set) var happenings: [Happening: Int] = [:]
    private var contents: [String: Content] = [:]

    func happen(_ happening: Happening) { happenings[happening, default: 0] += 1 }

    var acknowledged: [Acknowledgement] { acknowledgements.map(\.what) }

    func acknowledge(_ revision: String, at place: Place, to client: String, by server: String) {
        acknowledgements.append((mark, Acknowledgement(client: client, server: server, place: place, revision: revision)))
        mark += 1
    }

    func recordUpstreamShown(_ content: Content, at place: Place, by server: String) {
        shown.append((mark, server, place, content))
        mark += 1
    }

    /// Records a version of a 4.x client with the contents that its author had seen. A device that was restored from a backup gets its own versions
    /// by a pull, and may push them again.
    func record(_ version: PushedVersion) {
        if !versions.contains(where: { $0.acknowledgement == version.acknowledgement }) { versions.append(version) }
    }

    func recordRepetition(of revision: String, at place: Place, to client: String, by server: String) {
        repetitions.append(Acknowledgement(client: client, server: server, place: place, revision: revision))
    }

    func recordMove(of client: String) { moved.insert(client) }

    func hasMoved(_ client: String) -> Bool { moved.contains(client) }

    func recordUnneeded(_ revision: String, at place: Place, from client: String, by server: String) {
        guard !mayBeCopied.contains(place) else { return }
        // The server's replication with the other one may not have brought the revision yet.
        guard !moved.contains(client) else { return }
        // A restored server regards an older version of its own as lost: it keeps only versions under which the document may be known in its present
        // state.
        if restored.contains(server), Version(revision) != nil { return }
        // An app with new collections has it from the time without collections.
        let former = place.keyspace == Subject.collections[0] ? [Place(keyspace: "", id: place.id)] : []
        // The server has lost the version that it gave the document, or the record of the clients of its unified keyspace.
        let lost = sentInLostTime[server, default: []]
        for place in [place] + former where hasLost(place, by: server) || lost.contains(place) || hasLostPlace(place, by: server) { return }
        needless.append(Acknowledgement(client: client, server: server, place: place, revision: revision))
    }

    func refuse(_ revisions: [RefusedRevision], by upstream: Upstream) {
        refused[upstream, default: []].formUnion(revisions)
        for revision in revisions { happen(revision.direction == .push ? .refusedPush : .refusedPull) }
    }

    func allowCopy(at place: Place) { mayBeCopied.insert(place) }

    func recordCopiedEdits(_ places: Set<Place>, of client: String) { copiedEdits[client, default: []].formUnion(places) }

    func hasCopiedEdit(_ place: Place, _ client: String) -> Bool {
        copiedEdits[client, default: []].contains { Subject.legacyID(of: $0) == Subject.legacyID(of: place) }
    }

    func recordLeak(_ leak: String) { leaks.append(leak) }

    func recordFalseConflict(_ conflict: String, at place: Place, isUpgraded: Bool) {
        // A message of an upgraded database from the lost time, about a document that has not changed since, is not requested again.
        if isUpgraded, sentInLostTime.values.contains(where: { $0.contains(place) }) { return }
        // The app has the document of a collection under the ID that another document has in the default collection.
        if mayBeCopied.contains(place) { return }
        // A server that was restored from a backup has lost the message, and reports another state.
        guard !lostShown.values.contains(where: { $0.contains(place) }) else { return }
        if !Server.names.contains(where: { hasLost(place, by: $0) }) { falseConflicts.append("\(place): \(conflict)") }
    }

    /// Records the content of a new revision, or compares it.
    func record(_ content: Content, of revision: String, at place: Place) {
        record(content, of: revision, at: place, Self.key(revision, place))
    }

    /// The same for the ID in a tree that is computed from a version. Documents of one name in two collections may have the same version.
    func record(_ content: Content, ofVersioned revision: RevisionID, at place: Place) {
        record(content, of: revision.text, at: place, "\(place) \(revision.text)")
    }

    private func record(_ content: Content, of revision: String, at place: Place, _ key: String) {
        guard let known = contents[key] else { return contents[key] = content }
        if known != content { alterations.append("\(place) \(revision): made as \(known), came as \(content)") }
    }

    /// The content of a revision, if a client or server has sent it.
    func content(of revision: String, at place: Place) -> Content? {
        contents["\(place) \(revision)"] ?? contents[Self.key(revision, place)]
    }

    /// Revisions belong to a document. IDs in trees move with it to another collection; versions are created for each.
    private static func key(_ revision: String, _ place: Place) -> String {
        revision.contains("@") ? "\(place) \(revision)" : "\(Subject.legacyID(of: place)) \(revision)"
    }

    /// Whether a server had a revision of a document and has lost it with a restore. 2.x+ clients with an acknowledgement do not push it again unless
    /// the server's checkpoint is behind theirs.
    func hasLost(_ place: Place, by server: String) -> Bool {
        lost.contains { $0.server == server && Subject.legacyID(of: $0.place) == Subject.legacyID(of: place) }
    }

    /// Whether a server was restored from a backup.
    func wasRestored(_ server: String) -> Bool { restored.contains(server) }

    /// Whether a server has sent a document to clients in a lost time: it does not remove documents without a record of having sent them.
    func hasSentInLostTime(_ place: Place, by server: String) -> Bool { sentInLostTime[server]?.contains(place) ?? false }

    /// Whether a server has sent a document to clients and lost it with a restore.
    func hasLostShown(_ place: Place, by server: String) -> Bool { lostShown[server]?.contains(place) ?? false }

    func lose(_ places: Set<Place>, by server: String) { lostPlaces[server, default: []].formUnion(places) }

    /// Whether a restored server had a document in a collection that it has left: clients of the collection keep their copies.
    func hasLostPlace(_ place: Place, by server: String) -> Bool { lostPlaces[server]?.contains(place) ?? false }

    /// Restores a server's state from a mark: later messages are lost.
    ///
    /// - Parameter contents: Its present contents.
    func lose(by server: String, after mark: Int, having contents: [Place: Content]) {
        restored.insert(server)
        for sent in shown where sent.number >= mark && sent.server == server {
            sentInLostTime[server, default: []].insert(sent.place)
            if contents[sent.place] != sent.content { lostShown[server, default: []].insert(sent.place) }
        }
        let gone = acknowledgements.filter { $0.number >= mark && $0.what.server == server }.map(\.what)
        lost.formUnion(gone)
        acknowledgements.removeAll { $0.number >= mark && $0.what.server == server }
        versions.removeAll { gone.contains($0.acknowledgement) }
    }
}
