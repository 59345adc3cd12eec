public import Documents
public import Gateway
import Storage

extension Keyspace {
    /// Saves a document, also where a replication was faster: Couchbase Lite's `save(document:conflictHandler:)`. Attachments stay as they are.
    ///
    /// - Parameters:
    ///   - properties: An object.
    ///   - revision: The revision that was changed; `nil` for a new document.
    ///   - conflictHandler: Is given what is to be saved and the document as it is by now, `nil` if that was deleted, and returns what is to
    ///     be saved instead; `nil` leaves the document alone.
    /// - Returns: The revision that was made; `nil` if the handler wanted none.
    /// - Throws: ``Gateway/GatewayError`` if the document is refused, what the store throws, what the handler throws.
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
                // Somebody was faster; if it is not that, the error comes again.
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
