import Documents
import Storage
import Testing

@testable import Gateway

/// A simple model of an old server, a bridge that pulls from it and pushes to it, and the knowledge about both.
final class UpstreamModel {
    struct Document {
        var tree = RevisionTree()
        var ordinal: Int64 = 0
    }

    let keyspace: Keyspace
    private(set) var upstream: [String: Document] = [:]
    private(set) var ordinal: Int64 = 0
    private(set) var pulled: Int64 = 0

    /// The documents of a client that had read everything when the feed here ended at a sequence.
    private(set) var held: [Int64: [String: Document]] = [0: [:]]

    /// The ordinal at which the upstream first showed the leaves that a document has here.
    private var shown: [String: (ordinal: Int64, leaves: Set<RevisionID>)] = [:]
    private var counter = 0
    private let name: (Int64) -> String

    /// - Parameter name: The old server's form of a sequence.
    init(_ keyspace: Keyspace, name: @escaping (Int64) -> String = { String($0) }) {
        self.keyspace = keyspace
        self.name = name
    }

    func place(_ ordinal: Int64) -> UpstreamSequence { UpstreamSequence(name(ordinal)) }

    /// Writes on the old server at random.
    func writeUpstream(_ id: String) throws {
        var document = upstream[id] ?? Document()
        let parent = document.tree.winner?.id
        counter += 1
        let revision = try RevisionID.of("\((parent?.generation ?? 0) + 1)-\(String(counter, radix: 16))")
        try document.tree.insert(child: revision, of: parent, isDeleted: false)
        show(document, id)
    }

    /// Writes here at random.
    func writeHere(_ id: String) async throws {
        let parent = try await keyspace.read { try $0.document(id)?.winner }
        counter += 1
        _ = try await keyspace.edit(id, parent: parent?.text, body: "{\"n\":\(counter)}")
    }

    /// Reads the next rows of the old server's feed, and writes the missing revisions.
    func pull(limit: Int = .max) async throws {
        if pulled == 0 { try await keyspace.beginUpstreamFeed(of: "u", since: nil) }
        let rows = upstream.filter { $0.value.ordinal > pulled }.sorted { $0.value.ordinal < $1.value.ordinal }.prefix(limit)
        let places = try await keyspace.upstreamPlaces(of: rows.map { place($0.value.ordinal) }, in: "u")
        for (id, document) in rows {
            for leaf in document.tree.leaves {
                _ = try await keyspace.write(
                    RevisionWrite(
                        id: id, kind: .replicated(history: document.tree.history(of: leaf.id), conflicts: .branch),
                        isDeleted: leaf.isDeleted, body: Array("{}".utf8)))
            }
            let here = Set(try await keyspace.record(id).tree.leaves.map(\.id))
            guard here.isSubset(of: document.tree.leaves.map(\.id)), shown[id]?.leaves != here else { continue }
            shown[id] = (document.ordinal, here)
        }
        try await keyspace.noteUpstream(
            zip(rows, places).map { row, place in UpstreamRow(id: row.key, leaves: row.value.tree.leaves.map(\.id), place: place) })
        pulled = rows.last?.value.ordinal ?? pulled
    }

    /// Pushes a document's missing revisions to the old server.
    func push(_ id: String) async throws {
        guard let record = try await keyspace.read({ try $0.document(id)?.record }) else { return }
        var document = upstream[id] ?? Document()
        let before = document.tree
        for leaf in record.tree.leaves { _ = try document.tree.merge(record.tree.history(of: leaf.id), isDeleted: leaf.isDeleted) }
        if document.tree != before { show(document, id) }
    }

    private func show(_ document: Document, _ id: String) {
        var document = document
        ordinal += 1
        document.ordinal = ordinal
        upstream[id] = document
        held[ordinal] = upstream
    }

    /// The documents here in the order of the feed, each with its leaves.
    func documents() async throws -> [(id: String, sequence: Int64, leaves: Set<RevisionID>)] {
        var found: [(id: String, sequence: Int64, leaves: Set<RevisionID>)] = []
        for row in try await keyspace.changes(ChangesQuery()).rows {
            found.append((row.id, row.sequence.value, Set(try await keyspace.record(row.id).tree.leaves.map(\.id))))
        }
        return found
    }

    /// The translation by its definition: one less than the first document whose state was not shown at or before a place.
    func translation(of ordinal: Int64) async throws -> Int64 {
        for document in try await documents() {
            guard let known = shown[document.id], known.leaves == document.leaves, known.ordinal <= ordinal else {
                return document.sequence - 1
            }
        }
        return try await keyspace.lastSequence().value
    }

    /// Fails if a client with a position in the old server's feed would miss a change by continuing from `start`.
    func expectNothingMissed(of ordinal: Int64, from start: FeedPosition) async throws {
        let held = held[ordinal] ?? [:]
        for document in try await documents() where document.sequence <= start.sequence.value {
            let tree = held[document.id]?.tree ?? RevisionTree()
            #expect(document.leaves.allSatisfy { tree.contains($0) }, "\(document.id) is skipped by a client from \(ordinal)")
        }
    }
}
