import BLIP
import Documents

/// A 2.x+ client: LiteCore's replicator over one connection, with collections or without, and a database of its generation.
final class ModernClient: SimulatedClient {
    let name: String
    let generation: Generation
    let keyspaces: [String]
    let database: any LocalDatabase

    /// The inputs of its checkpoints' names: its database and the server's URL.
    private(set) var identity: String

    /// Its checkpoints, as stored in its database.
    var checkpoints: [String: ClientCheckpoint] = [:]

    /// The position of the running replication.
    var reached: [String: ClientCheckpoint] = [:]

    /// Keyspaces without a valid checkpoint on the server: the known revisions of the server are ignored (LiteCore, `checkpointIsInvalid`).
    var distrusted: Set<String> = []

    /// Conflicts that the server has refused, and those of them that are offered again because the pull shows that the conflicting revision is known
    /// here (LiteCore, `docRemoteAncestorChanged`). An app that only pushes gets the error, and offers them again when it pulls.
    var refused: Set<Place> = []
    var offeredAgain: Set<Place> = []

    /// Documents whose loss a pull sends as a tombstone: the loss of a channel and of a right may both send one.
    var lost: Set<Place> = []

    /// Its documents from before it had collections.
    private(set) var inherited: Set<Place> = []
    private(set) var hasBeenSeen = false

    /// Whether it proposes its inherited documents. LiteCore does so because its position is invalid; without a position it assumes that the server
    /// has the known revisions.
    private var proposesInherited = true

    /// Whether the server has got these documents, or has the information that the default collection was the unified keyspace.
    var isRecognized: Bool { hasBeenSeen || holdings.keys.allSatisfy(database.isEdited) }
    var former: Set<Place> { inherited.filter { !database.isEdited($0) && !database.isDirty($0) } }

    /// - Parameter collections: Empty for a client without collections.
    init(_ name: String, _ generation: Generation, _ database: any LocalDatabase, collections: [String] = []) {
        self.name = name
        self.generation = generation
        self.database = database
        identity = name
        keyspaces = collections.isEmpty ? [""] : collections
    }

    var namesCollections: Bool { keyspaces != [""] }

    var holdings: [Place: Holding] { database.holdings }

    var unsent: Set<Place> { Set(holdings.keys.filter(database.isDirty)) }

    func forgetCheckpoints() { checkpoints = [:] }

    func changeURL() {
        identity += "+"
        hasBeenSeen = false
        proposesInherited = true
        forgetCheckpoints()
        database.forgetServer()
        refused = []
        offeredAgain = []
    }

    func copy(for name: String?, number: Int) throws -> any SimulatedClient {
        let identity = name.map { "\($0) of \(self.identity), copy \(number)" } ?? self.identity
        let copy = ModernClient(
            name ?? self.name, generation, try database.copy(for: name.map { _ in identity }),
            collections: namesCollections ? keyspaces : [])
        copy.identity = identity
        if name == nil { copy.checkpoints = checkpoints }
        copy.inherited = inherited
        copy.hasBeenSeen = hasBeenSeen && name == nil
        copy.proposesInherited = proposesInherited
        copy.refused = refused
        copy.offeredAgain = offeredAgain
        return copy
    }

    /// Keeps the state of the device from before it was restored from a backup.
    func recordFormer(_ former: any SimulatedClient) {
        guard let former = (former as? ModernClient)?.database as? VersionDatabase else { return }
        (database as? VersionDatabase)?.recordFormer(former)
    }

    /// The same database, opened by the next version of the app; `nil` if there is none.
    func upgraded() -> ModernClient? {
        guard let trees = database as? TreeDatabase else { return nil }
        let next: ModernClient
        if generation == .second {
            next = ModernClient(name, .third, trees.inDefaultCollection(), collections: Subject.collections)
            next.inherited = Set(next.holdings.keys)
            next.proposesInherited = checkpoints[""] != nil
            // The default collection's checkpoint has the name of the database's former checkpoint. Pulled documents count as processed in both.
            next.checkpoints[Subject.collections[0]] = checkpoints[""].map {
                ClientCheckpoint(local: max($0.local, 1), remote: $0.remote)
            }
        } else {
            next = ModernClient(name, .fourth, trees.withVersions(), collections: keyspaces)
            next.checkpoints = checkpoints
            next.inherited = inherited
            next.hasBeenSeen = hasBeenSeen
            next.proposesInherited = proposesInherited
        }
        next.identity = identity
        return next
    }

    func edit(_ edit: Edit, _ subject: Subject, ledger: Ledger) throws -> String? {
        try database.edit(edit, subject, at: place(of: subject), ledger: ledger)
    }

    /// The collection of the document, or of a new document.
    private func place(of subject: Subject) -> Place {
        guard namesCollections else { return Place(keyspace: "", id: subject.legacyID) }
        let unrouted = Place(keyspace: Subject.collections[0], id: subject.legacyID)
        return holdings[unrouted].map { !$0.content.isDeleted } == true ? unrouted : subject.routed
    }

    func replicate(_ direction: Direction, over line: Line) async throws {
        let (ours, theirs) = await Pipe.pair()
        let serving = line.serve(theirs, database.subprotocol)
        do {
            try await replicate(direction, Conversation(over: ours, line))
        } catch {
            await ours.drop()
            await serving.value
            throw error
        }
        if direction == .both, proposesInherited { hasBeenSeen = true }
        // A first connection that only pulls saves a position, which is valid at the next connection: inherited documents are proposed only at
        // another URL.
        if direction == .pull, !hasBeenSeen { proposesInherited = false }
        await ours.close(code: 1_000, reason: "")
        await serving.value
    }

    private func replicate(_ direction: Direction, _ conversation: Conversation) async throws {
        var saved = try await loadCheckpoints(conversation)
        for keyspace in keyspaces {
            let before = reached[keyspace] ?? ClientCheckpoint()
            // Replies to edits from before an upgrade wait for the pull.
            let isUpgraded = hasOldRevisions(keyspace)
            let direction = isUpgraded ? .both : direction
            if isUpgraded { try await pushWhilePulling(keyspace, conversation) }
            // A resolved conflict has to be pushed, which can cause another conflict.
            for _ in 0..<4 {
                if direction.pushes { try await push(keyspace, conversation) }
                if direction.pulls { try await pull(keyspace, conversation) }
                if direction != .both || pending(keyspace).isEmpty { break }
            }
            if reached[keyspace] != before { try await saveCheckpoint(of: keyspace, &saved, conversation) }
        }
    }

    /// The properties of messages about a keyspace.
    func properties(_ keyspace: String) -> BLIPProperties {
        var properties = BLIPProperties()
        if namesCollections { properties.add("collection", "\(keyspaces.firstIndex(of: keyspace) ?? 0)") }
        return properties
    }
}
