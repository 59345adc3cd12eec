import Documents
import Gateway

/// Puts together what a source has of one document. What is wrong with a revision costs that revision; what is wrong with the ID, or with
/// every leaf, costs the document.
struct DocumentAssembler {
    private let id: String
    private let collection: CollectionName
    private var revisions: [SourceRevision] = []
    private var faults: [SourceFault] = []

    /// - Throws: ``SourceFault`` in a ``Refusal``, if no document can have this ID.
    init(id bytes: [UInt8], collection: CollectionName = .default) throws(Refusal) {
        guard let id = String(validating: bytes, as: UTF8.self) else {
            throw Refusal(
                SourceFault(id: String(decoding: bytes, as: UTF8.self), reason: "the document's ID is not UTF-8", bytes: bytes))
        }
        do {
            try DocumentID.validate(id)
        } catch {
            throw Refusal(SourceFault(id: id, reason: "\(error.message). Give the document another ID at its source."))
        }
        self.id = id
        self.collection = collection
    }

    /// Adds a revision whose body is a JSON object, perhaps with `_attachments`.
    ///
    /// - Parameters:
    ///   - json: the body. What a 1.x server adds to it (`_id`, `_rev`, `_revisions`) is left out.
    ///   - attachments: those that stand elsewhere than in the body.
    mutating func add(
        _ json: ArraySlice<UInt8>, history: [RevisionID], isLeaf: Bool, isDeleted: Bool, attachments: AttachmentSet? = nil,
        maximumSize: Int
    ) {
        do {
            try RevisionHistory.validate(history)
            // The limit is of the body as the source keeps it, which the caller has seen to.
            let parsed = try ParsedDocument(
                json, policy: .legacyUpstream, limits: DocumentLimits(maximumSize: max(maximumSize, json.count)))
            let named = try parsed.attachments.map { try AttachmentSet($0) } ?? attachments
            add(parsed, history: history, isLeaf: isLeaf, isDeleted: isDeleted || parsed.isDeleted, attachments: named)
        } catch {
            refuse(history.first?.text, reason(error), bytes: Array(json))
        }
    }

    /// Adds a revision that has been taken apart already, its attachments too.
    mutating func add(
        _ parsed: ParsedDocument, history: [RevisionID], isLeaf: Bool, isDeleted: Bool, attachments: AttachmentSet?
    ) {
        guard !parsed.isRemoved else {
            refuse(
                history.first?.text,
                "the source only knows that it lost access to this revision; take the document from where it still has",
                bytes: parsed.body)
            return
        }
        add(
            SourceRevision(
                history: history, isLeaf: isLeaf, isDeleted: isDeleted, body: parsed.body,
                attachments: attachments.flatMap { $0.isEmpty ? nil : $0 }))
    }

    /// Adds a revision that is whole.
    mutating func add(_ revision: SourceRevision) {
        revisions.append(revision)
    }

    /// Notes what is wrong with a revision, or with the whole.
    ///
    /// - Parameter length: how many bytes the source has; `nil` if these are all.
    mutating func refuse(_ revision: String?, _ reason: String, bytes: [UInt8] = [], length: Int? = nil) {
        faults.append(SourceFault(id: id, revision: revision, reason: reason, bytes: bytes, length: length))
    }

    /// What came of it: the document, if one of its leaves can be read, and what cannot.
    func items(sequence: String? = nil, expiry: Int64? = nil) -> [SourceItem] {
        var items: [SourceItem] = []
        if revisions.contains(where: \.isLeaf) {
            let sorted = revisions.sorted { ($0.history.first?.generation ?? 0) < ($1.history.first?.generation ?? 0) }
            items.append(
                .document(SourceDocument(id: id, collection: collection, revisions: sorted, sequence: sequence, expiry: expiry)))
        } else if !revisions.isEmpty, faults.isEmpty {
            items.append(.fault(SourceFault(id: id, reason: "none of the document's revisions is a leaf: its revision tree is damaged")))
        }
        return items + faults.map { .fault($0) }
    }

    private func reason(_ error: any Error) -> String {
        (error as? DocumentError)?.message ?? "\(error)"
    }
}

/// A document that cannot be, thrown where one was to be made.
struct Refusal: Error {
    let fault: SourceFault

    init(_ fault: SourceFault) {
        self.fault = fault
    }
}
