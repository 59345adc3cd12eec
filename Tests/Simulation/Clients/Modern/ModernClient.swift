import BLIP
import Documents

/// A 2.x+ client: LiteCore's replicator over one connection, with collections or without, and a database of its generation.
final class ModernClient: SimulatedClient {
    let name: String
    let generation: Generation
    let keyspaces: [String]
    let database: any LocalDatabase
    var checkpoints: [String: ClientCheckpoint] = [:]

    /// Keyspaces of which the server does not know how far the client has come: what it was known to have counts no longer (LiteCore, `checkpointIsInvalid`).
    var distrusted: Set<String> = []

    /// What the server has refused as a conflict, and what of it is offered again because the pull shows that what is in the way is known here (LiteCore,
    /// `docRemoteAncestorChanged`). An application that only pushes is told, and has it offered again when it pulls.
    var refused: Set<Place> = []
    var offeredAgain: Set<Place> = []

    /// - Parameter collections: none for a client from before collections.
    init(_ name: String, _ generation: Generation, _ database: any LocalDatabase, collections: [String] = []) {
        self.name = name
        self.generation = generation
        self.database = database
        keyspaces = collections.isEmpty ? [""] : collections
    }

    var namesCollections: Bool { keyspaces != [""] }

    var holdings: [Place: Holding] { database.holdings }

    var unsettled: Set<Place> { Set(holdings.keys.filter(database.isDirty)) }

    func forgetCheckpoints() { checkpoints = [:] }

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
        await ours.close(code: 1_000, reason: "")
        await serving.value
    }

    private func replicate(_ direction: Direction, _ conversation: Conversation) async throws {
        var saved = try await loadCheckpoints(conversation)
        for keyspace in keyspaces {
            let before = checkpoints[keyspace] ?? ClientCheckpoint()
            // A resolved conflict has to be pushed, which can meet another conflict.
            for _ in 0..<4 {
                if direction.pushes { try await push(keyspace, conversation) }
                if direction.pulls { try await pull(keyspace, conversation) }
                if direction != .both || pending(keyspace).isEmpty { break }
            }
            if checkpoints[keyspace] != before { try await saveCheckpoint(of: keyspace, before, &saved, conversation) }
        }
    }

    /// What the messages about a keyspace begin with.
    func properties(_ keyspace: String) -> BLIPProperties {
        var properties = BLIPProperties()
        if namesCollections { properties.add("collection", "\(keyspaces.firstIndex(of: keyspace) ?? 0)") }
        return properties
    }
}
