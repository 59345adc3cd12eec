import Documents

/// A 2.x+ client: LiteCore's replicator over one connection, with collections or without.
final class ModernClient: SimulatedClient {
    /// How far it has come with a keyspace, as it remembers it itself.
    struct Checkpoint: Hashable {
        var local = 0

        /// The JSON of the server's sequence.
        var remote: String?
    }

    let name: String
    let keyspaces: [String]
    let speaksLegacyProtocol = false
    var documents: [Place: ModernDocument] = [:]
    var checkpoints: [String: Checkpoint] = [:]
    private var sequence = 0

    /// - Parameter collections: none for a client from before collections.
    init(_ name: String, collections: [String] = []) {
        self.name = name
        keyspaces = collections.isEmpty ? [""] : collections
    }

    var namesCollections: Bool { keyspaces != [""] }

    var holdings: [Place: Holding] { documents.mapValues(\.holding) }

    func forgetCheckpoints() { checkpoints = [:] }

    func nextSequence() -> Int {
        sequence += 1
        return sequence
    }

    func edit(_ edit: Edit, _ subject: Subject, ledger: Ledger) throws -> RevisionID? {
        let place = place(of: subject)
        let document = documents[place]
        let content: Content
        switch edit {
        case .write(let number, let hasPhoto): content = .made(number, subject, hasPhoto)
        case .branch(let number), .resolve(let number): content = .made(number, subject, false)
        case .delete:
            guard let document, !document.content.isDeleted else { return nil }
            content = .tombstone
        }
        let revision = try RevisionDigest.liteCore(parent: document?.revision, body: content.properties, isDeleted: content.isDeleted)
        documents[place] = ModernDocument(
            history: [revision] + (document?.history ?? []), content: content, remote: document?.remote, sequence: nextSequence())
        ledger.note(content, of: revision, at: place)
        return revision
    }

    /// Where it has the document, or would create it.
    private func place(of subject: Subject) -> Place {
        guard namesCollections else { return Place(keyspace: "", id: subject.legacyID) }
        let unrouted = Place(keyspace: Subject.collections[0], id: subject.legacyID)
        return documents[unrouted].map { !$0.content.isDeleted } == true ? unrouted : subject.routed
    }

    /// Takes a revision of the server's, and resolves a conflict as Couchbase Lite does by itself: a deletion wins, then the higher revision
    /// ID.
    func take(_ content: Content, _ history: [RevisionID], at place: Place, ledger: Ledger) throws {
        let theirs = ModernDocument(history: history, content: content, remote: history[0], sequence: nextSequence())
        guard let ours = documents[place], ours.isDirty, !history.contains(ours.revision) else { return documents[place] = theirs }
        let ourDeletionWins = ours.content.isDeleted && !content.isDeleted
        let ourRevisionWins = ours.content.isDeleted == content.isDeleted && history[0] < ours.revision
        guard ourDeletionWins || ourRevisionWins, !ours.content.isDeleted || !content.isDeleted else { return documents[place] = theirs }
        let revision = try RevisionDigest.liteCore(
            parent: history[0], body: ours.content.properties, isDeleted: ours.content.isDeleted)
        documents[place] = ModernDocument(
            history: [revision] + history, content: ours.content, remote: history[0], sequence: nextSequence())
        ledger.note(ours.content, of: revision, at: place)
    }
}
