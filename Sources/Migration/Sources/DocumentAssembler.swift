import Documents
import Gateway

/// Assembles a document from a source's revisions. A faulty revision is omitted; a faulty ID, or faults in every leaf, make the whole document a
/// fault.
struct DocumentAssembler {
    private let id: String
    private let collection: CollectionName
    private var revisions: [SourceRevision] = []
    private var faults: [SourceFault] = []

    /// - Throws: The fault of the whole document if the ID is invalid.
    init(id bytes: [UInt8], collection: CollectionName = .default) throws(SourceFault) {
        guard let id = String(validating: bytes, as: UTF8.self) else {
            throw SourceFault(id: String(decoding: bytes, as: UTF8.self), reason: "the document's ID is not UTF-8", bytes: bytes)
        }
        do {
            try DocumentID.validate(id)
        } catch {
            throw SourceFault(id: id, reason: "\(error.message). Give the document another ID at its source.")
        }
        self.id = id
        self.collection = collection
    }

    /// Adds a revision whose body is a JSON object, perhaps with `_attachments`.
    ///
    /// - Parameters:
    ///   - json: The body. Properties that a 1.x server adds (`_id`, `_rev`, `_revisions`) are removed.
    ///   - attachments: Attachments that the source stores outside of the body.
    mutating func add(
        _ json: ArraySlice<UInt8>, history: [RevisionID], isLeaf: Bool, isDeleted: Bool, attachments: AttachmentSet? = nil,
        maximumSize: Int
    ) {
        do {
            try RevisionHistory.validate(history)
            // The caller has already applied the limit to the stored body.
            let parsed = try ParsedDocument(
                json, policy: .legacyUpstream, limits: DocumentLimits(maximumSize: max(maximumSize, json.count)))
            let named = try parsed.attachments.map { try AttachmentSet($0) } ?? attachments
            add(parsed, history: history, isLeaf: isLeaf, isDeleted: isDeleted || parsed.isDeleted, attachments: named)
        } catch {
            refuse(history.first?.text, reason(error), bytes: Array(json))
        }
    }

    /// Adds a parsed revision.
    mutating func add(
        _ parsed: ParsedDocument, history: [RevisionID], isLeaf: Bool, isDeleted: Bool, attachments: AttachmentSet?
    ) {
        guard !parsed.isRemoved else {
            refuse(
                history.first?.text,
                "the source has lost the access to this revision and does not have its body; import the document from a source that has the access",
                bytes: parsed.body)
            return
        }
        add(
            SourceRevision(
                history: history, isLeaf: isLeaf, isDeleted: isDeleted, body: parsed.body,
                attachments: attachments.flatMap { $0.isEmpty ? nil : $0 }))
    }

    /// Adds a complete revision.
    mutating func add(_ revision: SourceRevision) {
        revisions.append(revision)
    }

    /// Records a fault of a revision, or of the whole document.
    ///
    /// - Parameter length: Length in the source; `nil` if `bytes` is complete.
    mutating func refuse(_ revision: String?, _ reason: String, bytes: [UInt8] = [], length: Int? = nil) {
        faults.append(SourceFault(id: id, revision: revision, reason: reason, bytes: bytes, length: length))
    }

    /// The document, if at least one leaf is readable, followed by the faults.
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
