import Documents
import LegacyProtocol

/// The body of `_bulk_docs`: `{"docs":[..],"new_edits":false}`, in either order.
///
/// An invalid document fails only its own item; a body that is not JSON fails the whole request.
struct BulkDocsRequest {
    enum Item {
        case document(ParsedDocument)
        case local(LocalDocumentInput)
        case failed(id: String, LegacyError)
    }

    private(set) var items: [Item] = []

    /// The attachments that were removed from the documents and stored as they arrived, by the indexes of their documents.
    var received: [Int: [ReceivedAttachment]] = [:]

    /// Whether the server makes the revision IDs (`new_edits`), instead of the client.
    private(set) var makesRevisions = true

    init(_ body: [UInt8], limits: LegacyLimits = LegacyLimits(), documentLimits: DocumentLimits = DocumentLimits()) throws {
        var items: [Item]?
        var makesRevisions = true
        try JSONReader.read(body, maximumDepth: limits.depth) { reader in
            guard reader.kind == .object else { throw LegacyError(.badRequest, "Bad JSON: an object with docs is expected") }
            try reader.object { key, value in
                if key == "docs" {
                    items = try Self.items(&value, in: body, limits, documentLimits)
                } else if key == "new_edits", !value.isNull {
                    makesRevisions = try value.bool()
                }
            }
        }
        guard let items else { throw LegacyError(.badRequest, "missing 'docs' property") }
        self.items = makesRevisions ? items : items.map(\.ofReplicator)
        self.makesRevisions = makesRevisions
    }

    /// Marks documents as failed whose attachments could not be stored.
    mutating func fail(_ failures: [Int: LegacyError]) {
        for (index, error) in failures {
            guard items.indices.contains(index), case .document(let document) = items[index] else { continue }
            items[index] = .failed(id: document.id ?? "", error)
        }
    }

    private static func items(
        _ reader: inout JSONReader, in body: [UInt8], _ limits: LegacyLimits, _ documentLimits: DocumentLimits
    ) throws -> [Item] {
        guard reader.kind == .array else { throw LegacyError(.badRequest, "missing 'docs' property") }
        var items: [Item] = []
        try reader.array { element in
            guard items.count < limits.documents else {
                throw LegacyError(.tooLarge, "More than \(limits.documents) documents: send fewer at once")
            }
            let start = element.offset
            do {
                let document = try ParsedDocument(reading: &element, policy: .legacy, limits: documentLimits)
                if let id = document.id, id.utf8.first == UInt8(ascii: "_"), !DocumentID.isDesign(id) {
                    items.append(reserved(body[start..<element.offset], id: id, error: nil))
                } else {
                    items.append(.document(document))
                }
            } catch let error as DocumentError {
                items.append(reserved(body[start..<element.offset], id: nil, error: LegacyError(error)))
            }
        }
        return items
    }

    /// An item for a text that is not a valid document, or whose ID begins with an underscore. The text is parsed again, because the `_rev` of a
    /// local document is not a revision ID, and because the client finds its document by the ID in the response.
    private static func reserved(_ text: ArraySlice<UInt8>, id: String?, error: LegacyError?) -> Item {
        let input = try? LocalDocumentInput(text)
        let id = id ?? input?.id ?? self.id(in: text)
        if let input, id.utf8.starts(with: LocalDocumentInput.prefix.utf8) { return .local(input) }
        return .failed(id: id, error ?? LegacyError(.badRequest, "Invalid doc ID"))
    }

    /// The ID of a document that is invalid otherwise.
    private static func id(in text: ArraySlice<UInt8>) -> String {
        var id = ""
        try? JSONReader.read(text) { reader in
            guard reader.kind == .object else { return }
            try reader.object(uniqueKeys: false) { key, value in
                if key == "_id", value.kind == .string { id = try value.replacedString() }
            }
        }
        return id
    }
}

extension BulkDocsRequest.Item {
    /// The same item for a request with the client's revision IDs: Sync Gateway then checks only the history.
    fileprivate var ofReplicator: Self {
        guard case .failed(let id, let error) = self, (error.cause as? DocumentError)?.code == .badRevisionID else { return self }
        return .failed(id: id, .badRevisions)
    }
}
