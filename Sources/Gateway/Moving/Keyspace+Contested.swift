package import Documents
import Storage

/// Documents with an edit of a 2.x+ client that was refused because of another revision.
///
/// The client discards its edit, and waits for its pull to bring the other revision. The feed does not send it any more
///
/// - after the document was moved out of this keyspace,
/// - to a 4.x client whose first pull has left a tombstone out, or that could not read the row.
///
/// The IDs are therefore stored under the client's checkpoint ID until a pull has sent the other revision.
extension Keyspace {
    /// Records documents whose edits are refused.
    ///
    /// - Parameters:
    ///   - client: the ID of the client's checkpoint.
    ///   - limit: the maximum number of documents per client.
    package func contest(_ ids: [ExactString], of client: String, limit: Int) async throws {
        guard client.utf8.count <= DocumentID.maximumLength else { return }
        try await change(ofClient: client) { contested in
            let room = max(0, limit - contested.count)
            contested.formUnion(ids.filter { !contested.contains($0) }.prefix(room))
        }
    }

    /// The recorded documents of a client.
    package func contested(by client: String) async throws -> Set<ExactString> {
        let scope = scope
        return try await store.read(as: share) { try Self.ids(try $0.localDocument(.contested, in: scope, id: client)) }
    }

    /// Removes documents that a pull has sent to the client.
    package func settle(_ shown: Set<ExactString>, of client: String) async throws {
        guard !(try await contested(by: client)).isDisjoint(with: shown) else { return }
        try await change(ofClient: client) { $0.subtract(shown) }
    }

    private func change(ofClient client: String, by change: @escaping @Sendable (inout Set<ExactString>) -> Void) async throws {
        let scope = scope
        try await store.write { transaction in
            let stored = try transaction.localDocument(.contested, in: scope, id: client)
            var contested = try Self.ids(stored)
            let before = contested
            change(&contested)
            guard contested != before else { return }
            guard !contested.isEmpty else { return try transaction.setLocalDocument(nil, .contested, in: scope, id: client) }
            let document = LocalDocument(
                revision: (stored?.revision ?? 0) + 1, body: Self.body(contested), modified: Timestamp.now, upstreamRevision: nil)
            try transaction.setLocalDocument(document, .contested, in: scope, id: client)
        }
    }

    private static func ids(_ document: LocalDocument?) throws -> Set<ExactString> {
        guard let document else { return [] }
        return try JSONReader.read(document.body) { reader in
            var ids: Set<ExactString> = []
            try reader.array { ids.insert(ExactString(try $0.string())) }
            return ids
        }
    }

    private static func body(_ ids: Set<ExactString>) -> [UInt8] {
        var body: [UInt8] = [UInt8(ascii: "[")]
        for (index, id) in ids.map(\.string).sorted().enumerated() {
            if index > 0 { body.append(UInt8(ascii: ",")) }
            JSONWriter.append(id, to: &body)
        }
        body.append(UInt8(ascii: "]"))
        return body
    }

    /// Rows for documents whose winners the feed does not send after a position: a client resolves its edits against them.
    ///
    /// - Parameters:
    ///   - position: the position of the rows.
    ///   - includesPassed: whether documents of this keyspace are included that the feed has passed, beside those that were moved out of it.
    /// - Returns: A row for each document that is visible to the reader.
    package func blocking(_ ids: [String], at position: FeedPosition, includesPassed: Bool) async throws -> [ChangeRow] {
        let keyspace = self
        return try await readEach(ids, id: { $0 }) { id, visibility in
            if let here = try keyspace.locate(id, in: visibility.snapshot, followingMoves: false) {
                guard includesPassed, (here.sequence(in: keyspace.scope) ?? .zero) <= position.sequence else { return nil }
            }
            guard let document = try keyspace.visible(id, in: visibility) else { return nil }
            var row = ChangeRow(
                sequence: position.sequence, id: id, revision: document.winner.text, isDeleted: document.flags.contains(.deleted),
                bodySize: 0, document: document.key)
            row.trigger = position.trigger
            return row
        }
    }
}

extension DocumentRecord {
    /// Its sequence in a feed; `nil` in the unified feed for a document of a hidden collection.
    fileprivate func sequence(in scope: FeedScope) -> SequenceNumber? {
        scope == .unified ? sequence : collectionSequence
    }
}
