public import Documents
public import Gateway
import Storage

extension Keyspace {
    /// Saves a document, and resolves a concurrent change by a replication: Couchbase Lite's `save(document:conflictHandler:)`. Attachments
    /// are unchanged.
    ///
    /// - Parameters:
    ///   - properties: A JSON object.
    ///   - revision: The revision that was changed; `nil` for a new document.
    ///   - conflictHandler: Receives the properties to save and the document's current revision, `nil` if it was deleted. Returns the
    ///     properties to save instead, or `nil` to leave the document unchanged.
    /// - Returns: The new revision; `nil` if the handler returned `nil`.
    /// - Throws: ``Gateway/GatewayError`` if the document is refused; errors of the store and of the handler.
    @discardableResult
    public func save(
        _ id: String, _ properties: JSONValue, basedOn revision: RevisionID?,
        conflictHandler: (_ new: JSONValue, _ current: Conflict.Side?) async throws -> JSONValue?
    ) async throws -> RevisionID? {
        var (properties, parent) = (properties, revision)
        while true {
            let current = try await current(id)
            if current?.revision != parent {
                let document = current.flatMap { $0.isDeleted ? nil : $0 }
                guard let merged = try await conflictHandler(properties, document) else { return nil }
                properties = merged
                parent = current?.revision
            }
            var body: [UInt8] = []
            properties.append(to: &body)
            let attachments = try current?.attachments.map { try AttachmentSet($0) }
            do {
                return try await write(
                    RevisionWrite(id: id, kind: .edit(parent: parent), isDeleted: false, body: body, attachments: attachments)
                ).revision
            } catch let error as GatewayError where error.code == .conflict {
                // Another writer may have changed the document; otherwise the error is rethrown.
                guard try await self.current(id)?.revision != parent else { throw error }
            }
        }
    }

    private func current(_ id: String) async throws -> Conflict.Side? {
        try await read { snapshot in
            guard let document = try snapshot.document(id), let content = try document.content(of: document.winner) else { return nil }
            return Conflict.Side(
                revision: document.winner, isDeleted: content.isDeleted, body: content.body.properties,
                attachments: content.body.attachments)
        }
    }
}
