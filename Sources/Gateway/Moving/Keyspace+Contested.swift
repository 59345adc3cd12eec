public import Documents
import Storage

/// Documents whose edits a 2.x+ client was refused because of another revision. When such a document is moved away from here, the client's feed will
/// never bring that revision, and the client forgets what it was refused; so they are kept by its checkpoint's name until a pull has shown it what
/// stands in its way.
extension Keyspace {
    /// Keeps documents whose edits are refused.
    ///
    /// - Parameters:
    ///   - client: the name of the client's checkpoint.
    ///   - limit: how many are kept of one client at most.
    public func contest(_ ids: [ExactString], of client: String, limit: Int) async throws {
        guard client.utf8.count <= DocumentID.maximumLength else { return }
        try await change(ofClient: client) { contested in
            let room = max(0, limit - contested.count)
            contested.formUnion(ids.filter { !contested.contains($0) }.prefix(room))
        }
    }

    /// What is kept of a client.
    public func contested(by client: String) async throws -> Set<ExactString> {
        let scope = scope
        return try await store.read(as: share) { try Self.ids(try $0.localDocument(.contested, in: scope, id: client)) }
    }

    /// Forgets what a client has been shown.
    public func settle(_ shown: Set<ExactString>, of client: String) async throws {
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

    /// Documents that were moved away from here, as rows of the feed in which they no longer stand: what a client that has edited its copy has to
    /// resolve against.
    ///
    /// - Parameter position: the place that the rows are given.
    /// - Returns: A row for each of them that lives elsewhere now and may be seen there.
    public func moved(_ ids: [String], at position: FeedPosition) async throws -> [ChangeRow] {
        let keyspace = self
        return try await readEach(ids) { id, visibility in
            guard try keyspace.locate(id, in: visibility.snapshot, followingMoves: false) == nil,
                let document = try keyspace.visible(id, in: visibility)
            else { return nil }
            var row = ChangeRow(
                sequence: position.sequence, id: id, revision: document.winner.text, isDeleted: document.flags.contains(.deleted),
                bodySize: 0, document: document.key)
            row.trigger = position.trigger
            return row
        }
    }
}
