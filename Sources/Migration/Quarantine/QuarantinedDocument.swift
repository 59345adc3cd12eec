import Documents
public import Gateway
import Storage

/// A document, or a revision of one, that could not be written.
public struct QuarantinedDocument: Sendable, Equatable {
    public var collection: CollectionName
    public var id: String

    /// `nil` where the whole document is at fault.
    public var revision: String?

    /// What is wrong, and what to do.
    public var reason: String

    /// What the source has of it: a JSON array of its revisions as CouchDB writes them, or what stands in their place.
    public var bytes: [UInt8]

    public init(collection: CollectionName = .default, id: String, revision: String? = nil, reason: String, bytes: [UInt8]) {
        self.collection = collection
        self.id = id
        self.revision = revision
        self.reason = reason
        self.bytes = bytes
    }

    init(_ fault: SourceFault) {
        self.init(id: fault.id, revision: fault.revision, reason: fault.reason, bytes: fault.bytes)
    }

    init(_ document: SourceDocument, revision: RevisionID? = nil, reason: String) {
        self.init(
            collection: document.collection, id: document.id, revision: revision?.text, reason: reason,
            bytes: RevisionList.encode(document))
    }

    init(_ record: QuarantineRecord) {
        self.init(
            collection: CollectionName(record.collection) ?? .default, id: record.id, revision: record.revision, reason: record.reason,
            bytes: record.bytes)
    }

    var failure: ReportFailure {
        ReportFailure(collection: collection.description, id: id, revision: revision, reason: reason)
    }

    func record(run: Int64, source: String, at time: Int64) -> QuarantineRecord {
        QuarantineRecord(
            run: run, source: source, collection: collection.description, id: id, revision: revision, reason: reason, modified: time,
            bytes: bytes)
    }
}
