import Documents
package import Gateway
import Storage

/// A document, or a revision of one, that could not be written.
package struct QuarantinedDocument: Sendable, Equatable {
    package var collection: CollectionName
    package var id: String

    /// `nil` where the whole document is at fault.
    package var revision: String?

    /// Where it stands in a source that may have several rows of one ID: `byte 1804137`; empty elsewhere.
    package var place: String

    /// What is wrong, and what to do.
    package var reason: String

    /// What the source has of it: a JSON array of its revisions as CouchDB writes them, or what stands in their place.
    package var bytes: [UInt8]

    /// How many bytes the source has of it: more than are kept where it is very large.
    package var length: Int

    /// - Parameter length: `nil` if all of it is kept.
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
            bytes: RevisionList.encode(document))
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

/// Where something in the quarantine came from.
package struct QuarantineOrigin: Sendable, Equatable {
    /// The source, as messages call it.
    package let source: String

    /// When it was kept.
    package let time: ReportTime

    init(_ record: QuarantineRecord) {
        source = record.source
        time = ReportTime(seconds: record.modified / 1000)
    }
}
