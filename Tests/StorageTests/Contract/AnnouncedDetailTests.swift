import Documents
import Storage
import TestSupport
import Testing

/// Announced bodies, channels and versions, beside a model.
@Suite("Announced details")
struct AnnouncedDetailTests {
    private struct State: Equatable {
        var body: [UInt8]?
        var channels: Set<String> = []
        var version: RevisionID?
    }

    private static let ids = (0..<6).map { "d\($0)" }
    private static let all: AnnouncedDetails = [.bodies, .channels, .versions]

    private static func state(of id: String, in snapshot: any StoreSnapshot) throws -> State? {
        guard let document = try snapshot.document(unifiedID: id), let key = document.key else { return nil }
        let again = try snapshot.document(key)
        #expect(again?.winner == document.winner && again?.sequence == document.sequence && again?.unifiedID == id)
        return State(
            body: try snapshot.body(of: document.winner, in: document)?.properties,
            channels: Set(try snapshot.channels(of: key).filter(\.isCurrent).map(\.channel)),
            version: try snapshot.version(of: key)?.revision)
    }

    @Test("Details are those that the transaction has written since the announcement", arguments: StorageEngine.all, 0..<6)
    func agreement(_ engine: StorageEngine, seed: Int) async throws {
        try await withStore(engine) { store in
            let model = try await store.write { transaction in
                var generator = SeededGenerator(seed: UInt64(seed))
                var model: [String: State] = [:]
                for number in 0..<150 {
                    if number % 10 == 0 {
                        try transaction.announceLookups(of: Self.ids, legacyIDs: [], in: .unified, with: Self.all)
                    }
                    let id = Self.ids.randomElement(using: &generator) ?? ""
                    try Self.change(id, number, transaction, &model, &generator)
                    for id in Self.ids { #expect(try Self.state(of: id, in: transaction) == model[id], "\(id) after \(number)") }
                }
                return model
            }
            try await store.read { snapshot in
                try snapshot.announceLookups(of: Self.ids, legacyIDs: [], in: .unified, with: Self.all)
                for id in Self.ids { #expect(try Self.state(of: id, in: snapshot) == model[id]) }
            }
        }
    }

    private static func change(
        _ id: String, _ number: Int, _ transaction: any StoreTransaction, _ model: inout [String: State],
        _ generator: inout SeededGenerator
    ) throws {
        guard let document = try transaction.document(unifiedID: id), let key = document.key else {
            try transaction.add(id)
            model[id] = State(body: Array("{\"id\":1}".utf8))
            return
        }
        switch Int.random(in: 0..<6, using: &generator) {
        case 0:
            let channels = Set(["a", "b", "c"].filter { _ in Bool.random(using: &generator) })
            try transaction.setChannels(channels, of: document, at: transaction.nextSequence())
            model[id]?.channels = channels
        case 1:
            let channels = Set(["b", "d"].filter { _ in Bool.random(using: &generator) })
            try transaction.placeInChannels(channels, document)
            model[id]?.channels = channels
        case 2:
            let next = "\(document.winner.generation + 1)-\(number)ab"
            try transaction.edit(id, [next, document.winner.text])
            model[id]?.body = Array("{\"rev\":\"\(next)\"}".utf8)
        case 3:
            // A body that is too large for an announcement.
            let body = Array(repeating: UInt8(ascii: "x"), count: number.isMultiple(of: 2) ? 100_000 : 10)
            try transaction.setBody(StoredBody(properties: body), of: document.winner, in: document, isLeaf: true)
            model[id]?.body = body
        case 4:
            let version = try #require(Version("\(number + 1)@" + String(repeating: "A", count: 22)))
            try transaction.setVersion(VersionRecord(revision: document.winner, vector: VersionVector(current: version)), of: key)
            model[id]?.version = document.winner
        default:
            try transaction.purge(key)
            model[id] = nil
        }
    }
}
