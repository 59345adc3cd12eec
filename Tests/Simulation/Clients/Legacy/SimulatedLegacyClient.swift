import Documents

/// A 1.x client: Couchbase Lite 1.4's push and pull over HTTP, against the unified keyspace.
final class SimulatedLegacyClient: SimulatedClient {
    let name: String
    let software: LegacySoftware

    /// Whether its replicator runs all the time: after a lost connection, and at another server, it repeats its feed from its own
    /// position, and does not read its checkpoint again.
    let isContinuous: Bool

    /// The server's revision of the checkpoint of a pull that runs.
    var running: String?

    /// The inputs of its checkpoints' names: its database and the server's URL.
    private(set) var identity: String
    let generation = Generation.first
    let keyspaces = [""]
    let unsent: Set<Place> = []
    var documents: [String: LegacyDocument] = [:]
    var sequence = 0

    /// Its own copies of its checkpoints' `lastSequence`, by direction.
    var checkpoints: [Direction: String] = [:]

    init(_ name: String, _ software: LegacySoftware = .java, isContinuous: Bool = false) {
        self.name = name
        self.software = software
        self.isContinuous = isContinuous
        identity = name
    }

    var holdings: [Place: Holding] {
        Dictionary(
            uniqueKeysWithValues: documents.compactMap { id, document in
                document.holding.map { (Place(keyspace: "", id: id), $0) }
            })
    }

    func forgetCheckpoints() {
        checkpoints = [:]
        running = nil
    }

    func changeURL() {
        identity += "+"
        forgetCheckpoints()
    }

    func copy(for name: String?, number: Int) -> any SimulatedClient {
        let copy = SimulatedLegacyClient(name ?? self.name, software, isContinuous: isContinuous)
        copy.identity = name.map { "\($0) of \(identity), copy \(number)" } ?? identity
        copy.documents = documents
        copy.sequence = sequence
        if name == nil { copy.checkpoints = checkpoints }
        return copy
    }

    func edit(_ edit: Edit, _ subject: Subject, ledger: Ledger) throws -> String? {
        let document = documents[subject.legacyID] ?? LegacyDocument()
        let winner = document.tree.winner
        switch edit {
        case .write(let number, let hasPhoto):
            return try add(.made(number, subject, hasPhoto), to: subject.legacyID, on: winner?.id, ledger)
        case .branch(let number):
            let parent = winner.flatMap { document.tree.parent(of: $0.id) }
            return try add(.made(number, subject, false), to: subject.legacyID, on: parent, ledger)
        case .delete:
            guard let winner, !winner.isDeleted else { return nil }
            return try add(.tombstone, to: subject.legacyID, on: winner.id, ledger)
        case .resolve(let number):
            let live = document.tree.leaves.filter { !$0.isDeleted }
            guard live.count > 1 else { return nil }
            for loser in live.dropFirst() { _ = try add(.tombstone, to: subject.legacyID, on: loser.id, ledger) }
            return try add(.made(number, subject, false), to: subject.legacyID, on: live[0].id, ledger)
        }
    }

    private func add(_ content: Content, to id: String, on parent: RevisionID?, _ ledger: Ledger) throws -> String? {
        let revision = try RevisionDigest.syncGateway(parent: parent, body: content.properties, isDeleted: content.isDeleted)
        let history = [revision] + (parent.map { documents[id]?.tree.history(of: $0) ?? [] } ?? [])
        guard try store(content, history, id) else { return nil }
        ledger.record(content, of: revision.text, at: Place(keyspace: "", id: id))
        return revision.text
    }

    /// - Returns: Whether the revision is new.
    @discardableResult
    func store(_ content: Content, _ history: [RevisionID], _ id: String) throws -> Bool {
        var document = documents[id] ?? LegacyDocument()
        guard document.contents[history[0]] == nil, !document.tree.contains(history[0]) else { return false }
        try document.tree.merge(history, isDeleted: content.isDeleted)
        sequence += 1
        document.contents[history[0]] = content
        document.sequences[history[0]] = sequence
        documents[id] = document
        return true
    }
}

extension Content {
    /// Writes a new revision of a document.
    static func made(_ number: Int, _ subject: Subject, _ hasPhoto: Bool) -> Content {
        Content(number: number, type: subject.type, photo: hasPhoto ? AttachmentDigest.sha1(of: photo(of: number)) : nil)
    }
}

/// The platform of a 1.x client: platforms read the feed in different ways.
enum LegacySoftware: String, Sendable, CaseIterable {
    /// Java and Android: pages of the feed, and `last_seq` as the checkpoint.
    case java
    /// iOS, continuous: the checkpoint is a row's `seq`, which is sent back as a number.
    case iOS
    /// The same on devices with an `NSInteger` of 32 bits: a number that does not fit becomes its largest value (CBLMisc.m, `CBLParseInteger`).
    case smallIOS

    /// A checkpoint in the options of a feed: a number if it looks like one, otherwise a string.
    func since(_ checkpoint: String) -> String {
        guard let number = Int64(checkpoint), number >= 0 else { return "\"\(checkpoint)\"" }
        return self == .smallIOS ? "\(min(number, Int64(Int32.max)))" : checkpoint
    }
}
