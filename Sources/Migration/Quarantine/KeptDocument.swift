import Documents
import Gateway
import Storage

/// Makes a document of what the quarantine keeps of one.
enum KeptDocument {
    /// - Returns: `nil` if the bytes are none, or do not have the revision that is at fault.
    static func read(_ record: QuarantineRecord) -> SourceDocument? {
        guard record.length == record.bytes.count, let document = document(record) else { return nil }
        guard let revision = record.revision else { return document }
        return document.revisions.contains { $0.history.first?.text == revision } ? document : nil
    }

    private static func document(_ record: QuarantineRecord) -> SourceDocument? {
        let collection = CollectionName(record.collection) ?? .default
        if let document = RevisionList.decode(record.bytes, collection: collection) { return document }
        let value = DumpValue(record.bytes[...], place: record.place, expectsRow: false, bodyBytes: SourceBatchLimits().bodyBytes)
        for case .document(var document) in value.items {
            document.collection = collection
            return document
        }
        return nil
    }
}
