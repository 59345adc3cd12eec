import Documents
import HTTPTypes

/// A client that breaks a rule, so that a test can check that the invariants detect it.
final class FlawedClient: SimulatedClient {
    enum Flaw: Sendable {
        /// It loses a pulled document.
        case forgets
        /// It saves its checkpoints ahead of its documents when a replication is interrupted.
        case hurries
        /// It offers all documents again, each time.
        case echoes
        /// It records revisions as acknowledged that it never sent.
        case claims
        /// It makes the server send revisions that it has.
        case asksAgain
        /// It changes the content of a document that it has.
        case alters
    }

    private let inner: SimulatedLegacyClient
    private let flaw: Flaw

    init(_ name: String, _ flaw: Flaw) {
        inner = SimulatedLegacyClient(name)
        self.flaw = flaw
    }

    var name: String { inner.name }
    var keyspaces: [String] { inner.keyspaces }
    let generation = Generation.first
    let unsent: Set<Place> = []
    var holdings: [Place: Holding] { inner.holdings }

    func forgetCheckpoints() { inner.forgetCheckpoints() }
    func changeURL() { inner.changeURL() }
    func copy(for name: String?, number: Int) -> any SimulatedClient { inner.copy(for: name, number: number) }

    func edit(_ edit: Edit, _ subject: Subject, ledger: Ledger) throws -> String? {
        let revision = try inner.edit(edit, subject, ledger: ledger)
        let place = Place(keyspace: "", id: subject.legacyID)
        if flaw == .claims, let revision {
            ledger.acknowledge(revision, at: place, to: name, by: "bridge")
            inner.documents = [:]
        }
        return revision
    }

    func replicate(_ direction: Direction, over line: Line) async throws {
        switch flaw {
        case .forgets, .claims:
            try await inner.replicate(direction, over: line)
            if flaw == .forgets { inner.documents["a"] = nil }
        case .hurries:
            let before = inner.documents
            try await inner.replicate(direction, over: line)
            // The checkpoint is saved, the documents are not.
            if line.isFaulty { inner.documents = before }
        case .echoes:
            inner.forgetCheckpoints()
            try await inner.replicate(direction, over: line)
        case .asksAgain:
            try await inner.replicate(direction, over: line)
            for (id, document) in inner.documents.sorted(by: { $0.key < $1.key }) {
                guard let winner = document.tree.winner else { continue }
                _ = try await LegacyWire(line: line).send(.get, "\(id)?rev=\(winner.id)&revs=true")
                line.recordRepetition(of: winner.id.text, at: Place(keyspace: "", id: id), to: name)
            }
        case .alters:
            try await inner.replicate(direction, over: line)
            for (id, document) in inner.documents {
                guard let winner = document.tree.winner else { continue }
                line.ledger.record(Content(number: -1, type: nil, photo: nil), of: winner.id.text, at: Place(keyspace: "", id: id))
            }
        }
    }
}
