import Documents

/// The documents that a client writes, for all its lives.
actor PushedDocuments {
    private var documents: OwnDocuments
    nonisolated let uuid: String

    init(_ documents: OwnDocuments) {
        self.documents = documents
        uuid = documents.uuid
    }

    /// Edits some documents and pushes the edits. Nothing is pushed when the time for writing is over.
    ///
    /// - Parameter send: returns when all are acknowledged.
    @discardableResult
    func push(_ count: Int, in world: World, _ send: @Sendable ([Edit]) async throws -> Void) async throws -> [Edit] {
        guard world.isWriting else { return [] }
        let edits = documents.edits(count)
        for edit in edits { world.ledger.send(edit.id, edit.number) }
        try await send(edits)
        for edit in edits {
            world.ledger.acknowledge(edit.id, edit.number)
            documents.acknowledge(edit)
        }
        return edits
    }
}
