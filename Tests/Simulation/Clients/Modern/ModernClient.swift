import BLIP
import Documents

/// A 2.x+ client: LiteCore's replicator over one connection, with collections or without, and a database of its generation.
final class ModernClient: SimulatedClient {
    let name: String
    let generation: Generation
    let keyspaces: [String]
    let database: any LocalDatabase

    /// What its checkpoints are called by: its database and the server's URL.
    private(set) var identity: String

    /// How far it has come, as its database remembers it.
    var checkpoints: [String: ClientCheckpoint] = [:]

    /// How far the replication has come that is under way.
    var reached: [String: ClientCheckpoint] = [:]

    /// Keyspaces of which the server does not know how far the client has come: what it was known to have counts no longer (LiteCore, `checkpointIsInvalid`).
    var distrusted: Set<String> = []

    /// What the server has refused as a conflict, and what of it is offered again because the pull shows that what is in the way is known here (LiteCore,
    /// `docRemoteAncestorChanged`). An application that only pushes is told, and has it offered again when it pulls.
    var refused: Set<Place> = []
    var offeredAgain: Set<Place> = []

    /// Documents whose loss a pull tells by a tombstone: that of a channel and that of a right may both be told.
    var lost: Set<Place> = []

    /// What it had when it had no collections.
    private(set) var inherited: Set<Place> = []
    private(set) var hasBeenSeen = false

    /// Whether it proposes what it inherited. LiteCore does because its place counts no longer; without a place it takes what the server is known to have
    /// for known there.
    private var proposesInherited = true

    /// Whether the server has heard of what it had then, or knows that it was the unified keyspace.
    var isRecognized: Bool { hasBeenSeen || holdings.keys.allSatisfy(database.isEdited) }
    var former: Set<Place> { inherited.filter { !database.isEdited($0) && !database.isDirty($0) } }

    /// - Parameter collections: none for a client from before collections.
    init(_ name: String, _ generation: Generation, _ database: any LocalDatabase, collections: [String] = []) {
        self.name = name
        self.generation = generation
        self.database = database
        identity = name
        keyspaces = collections.isEmpty ? [""] : collections
    }

    var namesCollections: Bool { keyspaces != [""] }

    var holdings: [Place: Holding] { database.holdings }

    var unsettled: Set<Place> { Set(holdings.keys.filter(database.isDirty)) }

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

    /// Remembers what the device was before it was put back to a backup.
    func noteFormer(_ former: any SimulatedClient) {
        guard let former = (former as? ModernClient)?.database as? VersionDatabase else { return }
        (database as? VersionDatabase)?.noteFormer(former)
    }

    /// The same database, opened by the next version of the app; `nil` where there is none.
    func upgraded() -> ModernClient? {
        guard let trees = database as? TreeDatabase else { return nil }
        let next: ModernClient
        if generation == .second {
            next = ModernClient(name, .third, trees.inDefaultCollection(), collections: Subject.collections)
            next.inherited = Set(next.holdings.keys)
            next.proposesInherited = checkpoints[""] != nil
            // The default collection's checkpoint has the name that the one of the database had. What was pulled counts as dealt with in both.
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

    /// Where it has the document, or would create it.
    private func place(of subject: Subject) -> Place {
        guard namesCollections else { return Place(keyspace: "", id: subject.legacyID) }
        let unrouted = Place(keyspace: Subject.collections[0], id: subject.legacyID)
        return holdings[unrouted].map { !$0.content.isDeleted } == true ? unrouted : subject.routed
    }

    func replicate(_ direction: Direction, over line: Line) async throws {
        let (ours, theirs) = await Pipe.pair()
        let serving = line.server.serve(theirs, as: line.principal, database.subprotocol)
        do {
            try await replicate(direction, Conversation(over: ours, line))
        } catch {
            await ours.drop()
            await serving.value
            throw error
        }
        if direction == .both, proposesInherited { hasBeenSeen = true }
        // A first visit that pulls alone saves a place, which counts at the next: what it inherited is proposed at another URL only.
        if direction == .pull, !hasBeenSeen { proposesInherited = false }
        await ours.close(code: 1_000, reason: "")
        await serving.value
    }

    private func replicate(_ direction: Direction, _ conversation: Conversation) async throws {
        var saved = try await loadCheckpoints(conversation)
        for keyspace in keyspaces {
            let before = reached[keyspace] ?? ClientCheckpoint()
            // Answers to what was made before an upgrade wait for the pull.
            let isUpgraded = hasOldRevisions(keyspace)
            let direction = isUpgraded ? .both : direction
            if isUpgraded { try await pushWhilePulling(keyspace, conversation) }
            // A resolved conflict has to be pushed, which can meet another conflict.
            for _ in 0..<4 {
                if direction.pushes { try await push(keyspace, conversation) }
                if direction.pulls { try await pull(keyspace, conversation) }
                if direction != .both || pending(keyspace).isEmpty { break }
            }
            if reached[keyspace] != before { try await saveCheckpoint(of: keyspace, &saved, conversation) }
        }
    }

    /// What the messages about a keyspace begin with.
    func properties(_ keyspace: String) -> BLIPProperties {
        var properties = BLIPProperties()
        if namesCollections { properties.add("collection", "\(keyspaces.firstIndex(of: keyspace) ?? 0)") }
        return properties
    }
}
