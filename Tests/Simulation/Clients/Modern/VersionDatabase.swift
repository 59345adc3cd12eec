import Documents
import ModernProtocol

/// A database of 4.x: revisions have version vectors, and no IDs in a tree, except those from before the upgrade.
final class VersionDatabase: LocalDatabase {
    let subprotocol = Subprotocol.v4
    private let maker: VersionMaker
    private var documents: [Place: VersionCopy] = [:]
    private var lastSequence = 0

    /// The IDs of each document from before the upgrade that were sent to servers.
    private var sentIDs: [Place: Set<RevisionID>] = [:]

    /// IDs that were sent before the device was restored from a backup: servers have stored them for this database, which may lack them.
    private var formerSentIDs: [Place: Set<RevisionID>] = [:]

    /// Documents of which it has kept another client's version in a conflict about an unsent ID. Its vector includes the other side's version since,
    /// so that this version is never sent again (LiteCore).
    private(set) var keptOld: Set<Place> = []

    /// Whether documents have IDs in a tree.
    private(set) var isUpgraded = false

    /// Whether the server is the first server of the database. LiteCore 4.1 must not record a revision from before the upgrade for other servers,
    /// because it could not read the document again.
    private var isAtFirstURL = true

    /// - Parameter name: The source of its UUID.
    init(_ name: String) throws {
        maker = try VersionMaker(name)
    }

    private init(_ maker: VersionMaker) {
        self.maker = maker
    }

    /// Opens the database of a 3.x app.
    init(_ maker: VersionMaker, upgrading trees: [Place: TreeCopy], lastSequence: Int, isAtFirstURL: Bool) {
        self.maker = maker
        isUpgraded = true
        self.isAtFirstURL = isAtFirstURL
        self.lastSequence = lastSequence
        documents = trees.mapValues { tree in
            VersionCopy(
                legacy: tree.history, content: tree.content, remote: tree.remote.map { .tree($0) },
                elsewhere: tree.elsewhere.map { .tree($0) }, isEdited: tree.isEdited, sequence: tree.sequence, seen: tree.seen)
        }
    }

    var uuid: String? { maker.uuid }

    func forgetServer() {
        isAtFirstURL = false
        for place in documents.keys {
            if let remote = documents[place]?.remote { documents[place]?.elsewhere.append(remote.name) }
            documents[place]?.remote = nil
        }
    }

    func copy(for name: String?) throws -> any LocalDatabase {
        let copy = VersionDatabase(try name.map { try VersionMaker($0) } ?? maker)
        copy.documents = documents
        copy.lastSequence = lastSequence
        copy.isUpgraded = isUpgraded
        copy.isAtFirstURL = isAtFirstURL
        copy.keptOld = keptOld
        if name == nil { (copy.sentIDs, copy.formerSentIDs) = (sentIDs, formerSentIDs) }
        return copy
    }

    var holdings: [Place: Holding] { documents.mapValues(\.holding) }

    func isDirty(_ place: Place) -> Bool { documents[place]?.isDirty ?? false }
    func isEdited(_ place: Place) -> Bool { documents[place]?.isEdited ?? false }
    func sequence(of place: Place) -> Int { documents[place]?.sequence ?? 0 }
    func purge(_ place: Place) { documents[place] = nil }
    func body(of revision: String, at place: Place) -> [UInt8]? { nil }

    private func nextSequence() -> Int {
        lastSequence += 1
        return lastSequence
    }

    /// Whether a version is its own.
    func hasMade(_ version: String) -> Bool { Version(version)?.source == maker.source }

    /// Whether the document has had no edit since the upgrade.
    func isLegacy(_ place: Place) -> Bool { documents[place].map { $0.vector == nil } ?? false }

    func edit(_ edit: Edit, _ subject: Subject, at place: Place, ledger: Ledger) throws -> String? {
        let old = documents[place]
        guard let content = edit.content(subject, over: old?.content) else { return nil }
        keptOld.remove(place)
        let version = maker.next()
        maker.own[subject.legacyID, default: []].insert(content)
        documents[place] = VersionCopy(
            vector: old?.vector?.child(version) ?? VersionVector(current: version), legacy: old?.remembered ?? [], content: content,
            remote: old?.remote, elsewhere: old?.elsewhere ?? [], isEdited: true, sequence: nextSequence(),
            seen: (old?.seen ?? []).union(maker.own[subject.legacyID] ?? []))
        ledger.record(content, of: version.description, at: place)
        return version.description
    }

    /// Keeps the IDs that the database had sent before it was restored from a backup.
    func recordFormer(_ former: VersionDatabase) {
        formerSentIDs = former.sentIDs.merging(former.formerSentIDs) { $0.union($1) }
    }

    // MARK: Pushing

    func offer(_ place: Place) -> Offer? {
        documents[place].map { document in
            let ancestors = document.ancestry.map(\.text).joined(separator: ",")
            var offer = Offer(
                revision: document.whole.name.description, parent: document.remote?.name.description ?? "",
                history: document.vector.map { $0.history(endingIn: document.ancestry) } ?? (ancestors.isEmpty ? nil : ancestors),
                content: document.content, sequence: document.sequence, generation: nil, base: nil)
            // As with edits that are made during a replication.
            if !document.sequence.isMultiple(of: 2) { offer.whole = (document.whole.text, document.remote?.text ?? "") }
            return offer
        }
    }

    /// Records that the document's revision is sent with its history.
    func recordSent(_ place: Place) { sentIDs[place, default: []].formUnion(documents[place]?.ancestry ?? []) }

    /// Whether a server can have the document's ID from before the upgrade. A document that was edited before and after the upgrade has this ID only
    /// in its revision, and never sends it if a pull has superseded it and the app chooses the server's side.
    private func isIDSent(_ document: VersionCopy, at place: Place) -> Bool {
        guard document.vector != nil, let last = document.legacy.first else { return true }
        return sentIDs[place]?.contains(last) ?? false
    }

    func follows(_ current: String, at place: Place) -> Bool {
        guard let document = documents[place], let name = RevisionName(current) else { return false }
        let isKnown =
            switch name {
            case .version(let version): document.vector?.contains(version) ?? false
            case .tree(let revision): document.vector == nil ? document.legacy.contains(revision) : document.legacy.first == revision
            }
        if isKnown { record(VersionCopy.Remote(name), at: place) }
        return isKnown
    }

    func recordAcknowledged(_ offer: Offer, at place: Place) throws {
        guard let document = documents[place], document.whole.name.description == offer.revision else { return }
        guard document.vector != nil || isAtFirstURL else {
            throw UnexpectedMessage(
                "\(place): \(offer.revision) from before the upgrade is called known: LiteCore cannot read the document again")
        }
        record(document.whole, at: place)
    }

    /// Records the server's revision.
    private func record(_ remote: VersionCopy.Remote, at place: Place) {
        documents[place]?.remote = remote
        if documents[place]?.isDirty == false { documents[place]?.isEdited = false }
    }

    /// The contents that the author of the offered revision had seen.
    func seen(_ place: Place) -> Set<Content> { documents[place]?.seen ?? [] }

    // MARK: Pulling

    func ancestors(of revision: String, at place: Place) throws -> [String]? {
        guard let version = Version(revision) else { throw UnexpectedMessage("\(place) was announced to a 4.x client as \(revision)") }
        guard let document = documents[place] else { return [] }
        if let vector = document.vector, vector.contains(version) {
            // The server's known revision stays, unless it is another branch.
            if version == vector.current || !document.knowsRemote { record(.version(VersionVector(current: version)), at: place) }
            return nil
        }
        sentIDs[place, default: []].formUnion(document.names.compactMap(\.tree))
        return document.names.map(\.description)
    }

    func store(_ arrival: Arrival, at place: Place, ledger: Ledger) throws {
        let history = try VersionHistory(rev: arrival.revision, history: arrival.history)
        guard history.legacy.isEmpty || isUpgraded else {
            throw UnexpectedMessage("\(place): a history with IDs of a tree, \(arrival.history ?? "")")
        }
        let theirs = VersionCopy(
            vector: history.vector, legacy: history.legacy, content: arrival.content, remote: .version(history.vector),
            elsewhere: documents[place]?.elsewhere ?? [], sequence: nextSequence(),
            seen: (documents[place]?.seen ?? []).union([arrival.content]))
        ledger.record(arrival.content, of: arrival.revision, at: place)
        guard let ours = documents[place] else { return documents[place] = theirs }
        switch ours.order(to: history.vector, endingIn: history.legacy) {
        case .same, .newer: record(.version(history.vector), at: place)
        case .older: documents[place] = theirs
        case .conflicting:
            let isOfFormer = history.legacy.first.map { formerSentIDs[place]?.contains($0) ?? false } ?? false
            if !ours.isEdited, isIDSent(ours, at: place), !isOfFormer {
                ledger.recordFalseConflict(
                    "\(ours.whole.text) here, \(arrival.revision); \(arrival.history ?? "") there", at: place, isUpgraded: isUpgraded)
            }
            let result = resolved(ours, theirs, history.vector, ledger, at: place)
            if !isIDSent(ours, at: place), result.vector?.current == ours.vector?.current, !hasMade(result.whole.name.description) {
                keptOld.insert(place)
            }
            documents[place] = result
        }
    }

    /// Apps resolve conflicts in each of the possible ways; the contents decide which.
    private func resolved(
        _ ours: VersionCopy, _ theirs: VersionCopy, _ other: VersionVector, _ ledger: Ledger, at place: Place
    ) -> VersionCopy {
        var taken = theirs
        taken.legacy = ours.remembered
        // The vector also includes the other side's if the server's revision is chosen (LiteCore, `trivialMerge`).
        taken.vector = ours.vector.map { other.covering($0) } ?? other
        guard !ours.content.isDeleted || !theirs.content.isDeleted else { return taken }
        // LiteCore cannot merge two versions of one source, and would give the local content the other side's version: only the other side can be
        // chosen.
        guard ours.vector?.current.source != other.current.source else { return taken }
        var result = taken
        result.content = ours.content
        result.seen.formUnion(ours.seen)
        result.isEdited = true
        switch ((ours.content.number ?? 0) + (theirs.content.number ?? 0)) % 3 {
        case 1:
            ledger.happen(.tookOtherVersion)
            return taken
        case 0:
            ledger.happen(.keptOwnVersion)
            // The version stays, and includes the other side's. A revision from before the upgrade gets a version.
            result.vector = ours.vector?.covering(other) ?? other.child(maker.next())
        default:
            ledger.happen(.mergedVersions)
            result.vector = merged(ours.vector, other)
        }
        if let version = result.vector?.current {
            ledger.record(result.content, of: version.description, at: place)
            if version.source == maker.source { maker.own[Subject.legacyID(of: place), default: []].insert(result.content) }
        }
        return result
    }

    private func merged(_ ours: VersionVector?, _ theirs: VersionVector) -> VersionVector {
        let version = maker.next()
        guard let ours else { return theirs.child(version) }
        let merged = [ours.current, theirs.current]
        guard Set(merged.map(\.source)).count == 2 else { return ours.covering(theirs).child(version) }
        let previous = ours.covering(theirs).child(version).previous.filter { version in
            !merged.contains { $0.source == version.source }
        }
        return VersionVector(current: version, merged: merged, previous: previous)
    }
}

extension VersionCopy {
    /// Whether the server's known revision is this revision or an ancestor of it.
    fileprivate var knowsRemote: Bool {
        switch remote {
        case .version(let remote)?: vector?.contains(remote.current) ?? false
        case .tree?: true
        case nil: false
        }
    }
}
