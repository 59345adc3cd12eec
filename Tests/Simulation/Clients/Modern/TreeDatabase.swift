import Documents
import ModernProtocol

/// A database of 2.x or 3.x: revisions have IDs in a tree, of which it keeps one branch.
final class TreeDatabase: LocalDatabase {
    /// The number of ancestors that it sends.
    private static let ancestors = 10

    let subprotocol: Subprotocol
    let uuid: String? = nil
    private var documents: [Place: TreeCopy] = [:]
    private var lastSequence = 0

    /// The source of versions after an upgrade to 4.x.
    private let maker: VersionMaker

    /// Whether the server is the first server of the database.
    private var isAtFirstURL = true

    init(_ subprotocol: Subprotocol, _ maker: VersionMaker) {
        self.subprotocol = subprotocol
        self.maker = maker
    }

    var holdings: [Place: Holding] { documents.mapValues(\.holding) }

    func forgetServer() {
        isAtFirstURL = false
        for place in documents.keys {
            if let remote = documents[place]?.remote { documents[place]?.elsewhere.append(remote) }
            documents[place]?.remote = nil
            documents[place]?.base = nil
        }
    }

    func copy(for name: String?) throws -> any LocalDatabase {
        copy(subprotocol, try name.map { try VersionMaker($0) } ?? maker) { $0 }
    }

    /// The database of an app that gains collections: its documents stay in the default collection.
    func inDefaultCollection() -> TreeDatabase {
        copy(.v3, maker) { Place(keyspace: Subject.collections[0], id: $0.id) }
    }

    private func copy(_ subprotocol: Subprotocol, _ maker: VersionMaker, _ place: (Place) -> Place) -> TreeDatabase {
        let copy = TreeDatabase(subprotocol, maker)
        for (old, document) in documents { copy.documents[place(old)] = document }
        copy.lastSequence = lastSequence
        copy.isAtFirstURL = isAtFirstURL
        return copy
    }

    /// The database, opened by an app of 4.x.
    func withVersions() -> VersionDatabase {
        VersionDatabase(maker, upgrading: documents, lastSequence: lastSequence, isAtFirstURL: isAtFirstURL)
    }

    func isEdited(_ place: Place) -> Bool { documents[place]?.isEdited ?? false }
    func isDirty(_ place: Place) -> Bool { documents[place]?.isDirty ?? false }
    func sequence(of place: Place) -> Int { documents[place]?.sequence ?? 0 }
    func purge(_ place: Place) { documents[place] = nil }

    private func nextSequence() -> Int {
        lastSequence += 1
        return lastSequence
    }

    func edit(_ edit: Edit, _ subject: Subject, at place: Place, ledger: Ledger) throws -> String? {
        let old = documents[place]
        guard let content = edit.content(subject, over: old?.content) else { return nil }
        return try add(content, on: old?.history ?? [], at: place, remote: old?.remote, base: old?.base, ledger).text
    }

    private func add(
        _ content: Content, on history: [RevisionID], at place: Place, remote: RevisionID?, base: [UInt8]?, _ ledger: Ledger
    ) throws -> RevisionID {
        let revision = try RevisionDigest.liteCore(parent: history.first, body: content.properties, isDeleted: content.isDeleted)
        documents[place] = TreeCopy(
            history: [revision] + history, content: content, remote: remote, base: base,
            elsewhere: documents[place]?.elsewhere ?? [], isEdited: true, seen: (documents[place]?.seen ?? []).union([content]),
            body: content.photo == nil ? content.properties : nil,
            sequence: nextSequence())
        ledger.record(content, of: revision.text, at: place)
        return revision
    }

    // MARK: Pushing

    func offer(_ place: Place) -> Offer? {
        documents[place].map { document in
            let ancestors = document.history.dropFirst().map(\.text)
            return Offer(
                revision: document.revision.text, parent: document.remote?.text ?? "",
                history: ancestors.isEmpty ? nil : ancestors.joined(separator: ","), content: document.content, sequence: document.sequence,
                generation: document.revision.generation, base: document.base)
        }
    }

    func follows(_ current: String, at place: Place) -> Bool {
        guard let current = RevisionID(current), let document = documents[place], document.history.contains(current) else { return false }
        if document.remote != current {
            documents[place]?.remote = current
            documents[place]?.base = nil
        }
        if current == document.revision { documents[place]?.isEdited = false }
        return true
    }

    func recordAcknowledged(_ offer: Offer, at place: Place) {
        guard var document = documents[place], document.revision.text == offer.revision else { return }
        document.remote = document.revision
        document.base = document.body
        document.isEdited = false
        documents[place] = document
    }

    // MARK: Pulling

    func ancestors(of revision: String, at place: Place) throws -> [String]? {
        guard let revision = RevisionID(revision) else {
            throw UnexpectedMessage("\(place): a row of changes with the revision \(revision)")
        }
        guard let document = documents[place] else { return [] }
        guard document.history.contains(revision) else {
            return document.history.filter { $0 < revision }.prefix(Self.ancestors).map(\.text)
        }
        if document.remote.map({ $0 < revision }) ?? true {
            documents[place]?.remote = revision
            documents[place]?.base = revision == document.revision ? document.body : nil
        }
        if revision == document.revision { documents[place]?.isEdited = false }
        return nil
    }

    func body(of revision: String, at place: Place) -> [UInt8]? {
        guard let document = documents[place] else { return nil }
        if document.revision.text == revision { return document.body }
        return document.remote?.text == revision ? document.base : nil
    }

    /// Resolves a conflict as Couchbase Lite does by default: a deletion wins, then the higher revision ID.
    func store(_ arrival: Arrival, at place: Place, ledger: Ledger) throws {
        var history = try RevisionHistory.parse(rev: arrival.revision, history: arrival.history)
        let content = arrival.content
        ledger.record(content, of: history[0].text, at: place)
        // The server leaves out ancestors of a revision that is here.
        if let ours = documents[place]?.history, let last = history.last, let index = ours.firstIndex(of: last) {
            history += ours[(index + 1)...]
        }
        let theirs = TreeCopy(
            history: history, content: content, remote: history[0], base: arrival.body, elsewhere: documents[place]?.elsewhere ?? [],
            seen: (documents[place]?.seen ?? []).union([content]), body: arrival.body, sequence: nextSequence())
        guard let ours = documents[place], ours.isDirty, !history.contains(ours.revision) else { return documents[place] = theirs }
        let ourDeletionWins = ours.content.isDeleted && !content.isDeleted
        let ourRevisionWins = ours.content.isDeleted == content.isDeleted && history[0] < ours.revision
        guard ourDeletionWins || ourRevisionWins, !ours.content.isDeleted || !content.isDeleted else { return documents[place] = theirs }
        documents[place]?.seen.insert(content)
        _ = try add(ours.content, on: history, at: place, remote: history[0], base: arrival.body, ledger)
    }
}
