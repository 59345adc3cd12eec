public import Documents
import Gateway

extension LocalCollection {
    /// Saves a document under an ID, whatever is stored there: the last writer wins. Attachments are unchanged.
    ///
    /// - Parameters:
    ///   - id: 1 to 240 bytes of UTF-8 without control characters, not beginning with `_`.
    ///   - properties: A JSON object. A name that begins with `_` is not allowed on the top level.
    /// - Returns: The document as saved.
    /// - Throws: ``LocalStoreError`` with code `invalidDocument`, `tooLarge` or `unavailable`; `CancellationError`.
    @discardableResult
    public func save(_ id: String, _ properties: JSONValue) async throws -> StoredDocument {
        try await overwrite(StoredDocument(id: id, properties))
    }

    /// Saves a document under an ID, whatever is stored there: the last writer wins. Attachments are unchanged.
    ///
    /// - Parameters:
    ///   - id: 1 to 240 bytes of UTF-8 without control characters, not beginning with `_`.
    ///   - json: One JSON object, such as the result of a `JSONEncoder`. A name that begins with `_` is not allowed on the top level.
    /// - Returns: The document as saved.
    /// - Throws: ``LocalStoreError`` with code `invalidDocument`, `tooLarge` or `unavailable`; `CancellationError`.
    @discardableResult
    public func save(_ id: String, json: some Collection<UInt8>) async throws -> StoredDocument {
        try await overwrite(StoredDocument(id: id, json: json))
    }

    /// Saves a document that was read and changed, or is new. Attachments are unchanged.
    ///
    /// - Returns: The document as saved. Change and save this one further on.
    /// - Throws: ``LocalStoreError``: `conflict` if the document was changed or deleted after it was read, or a new document exists already;
    ///   `invalidDocument`, `tooLarge` or `unavailable`; `CancellationError`.
    @discardableResult
    public func save(_ document: StoredDocument) async throws -> StoredDocument {
        try await save(document) { new, _ in throw LocalStoreError.conflict(new) } ?? document
    }

    /// Saves a document, and asks how to merge it with a change that was made after it was read: Couchbase Lite's
    /// `save(document:conflictHandler:)`. Attachments are unchanged.
    ///
    /// - Parameters:
    ///   - document: A document that was read and changed, or is new.
    ///   - conflictHandler: Receives the document to save and the stored document, `nil` if that was deleted. Returns the document to save
    ///     instead, or `nil` to leave the stored one unchanged. It is called again if the stored document changes meanwhile.
    /// - Returns: The document as saved; `nil` if the handler returned `nil`.
    /// - Throws: ``LocalStoreError`` with code `invalidDocument`, `tooLarge` or `unavailable`; errors of the handler; `CancellationError`.
    @discardableResult
    public func save(
        _ document: StoredDocument,
        conflictHandler: (_ new: StoredDocument, _ current: StoredDocument?) async throws -> StoredDocument?
    ) async throws -> StoredDocument? {
        try await write(document, isDeleted: false, conflictHandler)
    }

    /// Deletes a document that was read. Its deletion is replicated.
    ///
    /// - Throws: ``LocalStoreError``: `conflict` if the document was changed after it was read; `unavailable`; `CancellationError`.
    public func delete(_ document: StoredDocument) async throws {
        _ = try await write(document, isDeleted: true) { new, current in
            guard current != nil else { return nil }
            throw LocalStoreError.conflict(new)
        }
    }

    /// Deletes the document with an ID, if there is one, whatever its revision. Its deletion is replicated.
    ///
    /// - Throws: ``LocalStoreError`` with code `unavailable`; `CancellationError`.
    public func delete(_ id: String) async throws {
        guard let current = try await document(id) else { return }
        _ = try await write(current, isDeleted: true) { _, current in current }
    }

    private func overwrite(_ document: StoredDocument) async throws -> StoredDocument {
        try await write(document, isDeleted: false) { new, _ in new } ?? document
    }

    /// Writes a revision on top of the stored one. If `document` is based on another, the result of the handler is written.
    private func write(
        _ document: StoredDocument, isDeleted: Bool,
        _ conflictHandler: (StoredDocument, StoredDocument?) async throws -> StoredDocument?
    ) async throws -> StoredDocument? {
        var document = document
        while true {
            let base = try await base(of: document)
            if base.isOutdated {
                guard let merged = try await conflictHandler(document, base.stored?.live) else { return nil }
                document = StoredDocument(id: document.id, revision: base.stored?.document.revision, json: merged.json)
            } else {
                document.revision = base.stored?.document.revision
            }
            do {
                return try await commit(document, isDeleted: isDeleted, attachments: base.stored?.attachments)
            } catch let error as LocalStoreError where error.code == .conflict {
                // Another writer may have changed the document; otherwise the error is rethrown.
                guard try await self.base(of: document).isOutdated else { throw error }
            }
        }
    }

    /// The stored revision on which a document is to be based, and whether the document is based on another: it then lacks a change.
    ///
    /// A document may be based on any revision without successor, so that conflicts can be resolved. A new document may follow a deleted one.
    private func base(of document: StoredDocument) async throws -> (stored: CollectionRevision?, isOutdated: Bool) {
        try await LocalStoreError.translating {
            try await keyspace.read { snapshot in
                guard let view = try snapshot.document(document.id) else { return (nil, document.revision != nil) }
                if let revision = document.revision, view.tree.leaves.contains(where: { $0.id == revision }) {
                    return (try view.revision(revision), false)
                }
                let current = try view.current
                return (current, document.revision != nil || current?.isDeleted == false)
            }
        }
    }

    private func commit(_ document: StoredDocument, isDeleted: Bool, attachments: AttachmentSet?) async throws -> StoredDocument {
        try await LocalStoreError.translating {
            var body = DocumentBody.empty
            if !isDeleted {
                let parsed = try ParsedDocument(document.json, policy: .legacy)
                guard parsed == ParsedDocument(body: parsed.body) else {
                    throw LocalStoreError(
                        .invalidDocument, "\(document.id): a name that begins with _ is not allowed on the top level of a document")
                }
                body = parsed.body
            }
            let outcome = try await keyspace.write(
                RevisionWrite(
                    id: document.id, kind: .edit(parent: document.revision), isDeleted: isDeleted, body: body,
                    attachments: isDeleted ? nil : attachments))
            return StoredDocument(id: document.id, revision: outcome.revision, json: body)
        }
    }
}

extension LocalStoreError {
    fileprivate static func conflict(_ document: StoredDocument) -> LocalStoreError {
        let read = document.revision.map { "revision \($0)" } ?? "a new document"
        return LocalStoreError(
            .conflict,
            "\(document.id): the change of \(read) was not saved, because the stored document has another revision; read the document again and merge the change"
        )
    }
}
