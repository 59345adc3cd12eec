import Documents
package import Gateway
import Storage

/// A document that could not be written, or one revision of it.
package struct QuarantinedDocument: Sendable, Equatable {
    package var collection: CollectionName
    package var id: String

    /// `nil` if the whole document is at fault.
    package var revision: String?

    /// Position in a source that may have several rows for one ID: `byte 1804137`; empty for other sources.
    package var place: String

    /// The problem and its remedy.
    package var reason: String

    /// The source's content: a JSON array of the revisions in CouchDB's format, or the raw content if no document could be read.
    package var bytes: [UInt8]

    /// Length of the source's content in bytes; more than `bytes.count` if a very large document was truncated.
    package var length: Int

    /// - Parameter length: `nil` if `bytes` is complete.
    package init(
        collection: CollectionName = .default, id: String, revision: String? = nil, place: String = "", reason: String, bytes: [UInt8],
        length: Int? = nil
    ) {
        self.collection = collection
        self.id = id
        self.revision = revision
        self.place = place
        self.reason = reason
        self.bytes = bytes
        self.length = length ?? bytes.count
    }

    init(_ fault: SourceFault) {
        self.init(
            id: fault.id, revision: fault.revision, place: fault.place, reason: fault.reason, bytes: fault.bytes, length: fault.length)
    }

    init(_ document: SourceDocument, revision: RevisionID? = nil, reason: String) {
        self.init(
            collection: document.collection, id: document.id, revision: revision?.text, place: document.part?.place ?? "", reason: reason,
            bytes: QuarantinedRevisions.encode(document))
    }

    init(_ record: QuarantineRecord) {
        self.init(
            collection: CollectionName(record.collection) ?? .default, id: record.id, revision: record.revision, place: record.place,
            reason: record.reason, bytes: record.bytes, length: record.length)
    }

    var failure: ReportFailure {
        ReportFailure(
            collection: collection.description, id: id, revision: revision, place: place.isEmpty || place == id ? nil : place,
            reason: reason)
    }

    func record(run: Int64, source: String, at time: Int64) -> QuarantineRecord {
        QuarantineRecord(
            run: run, source: source, collection: collection.description, id: id, revision: revision, place: place, reason: reason,
            modified: time, length: length, bytes: bytes)
    }
}

/// Origin of a quarantined document.
package struct QuarantineOrigin: Sendable, Equatable {
    /// Label of the source.
    package let source: String

    /// When the document was quarantined.
    package let time: ReportTime

    init(_ record: QuarantineRecord) {
        source = record.source
        time = ReportTime(seconds: record.modified / 1000)
    }
}
