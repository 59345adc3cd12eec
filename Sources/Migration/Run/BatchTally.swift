import Documents
import Gateway
import Storage
import Synchronization

/// What became of a batch's documents: for the journal, the quarantine and the report.
final class BatchTally: Sendable {
    typealias Results = [Result<ImportOutcome, GatewayError>]

    private let batch: PreparedBatch
    private let source: String

    /// What the transaction that was committed has found.
    let results = Mutex<Results?>(nil)

    init(_ batch: PreparedBatch, source: String) {
        self.batch = batch
        self.source = source
    }

    /// Keeps in the quarantine what could not be written, and lets go of what could.
    func keep(_ results: Results, run: Int64, in transaction: any StoreTransaction) throws {
        self.results.withLock { $0 = results }
        if try transaction.quarantineCount() > 0 {
            for (document, result) in zip(batch.originals, results) where (try? result.get()) != nil {
                try transaction.releaseQuarantine(collection: document.collection.description, id: document.id)
            }
        }
        let now = MigrationJournal.now
        for fault in faults(results) { try transaction.quarantine(fault.record(run: run, source: source, at: now)) }
    }

    /// All that could not be written, or not wholly.
    func faults(_ results: Results) -> [QuarantinedDocument] {
        var faults = batch.faults
        for (document, result) in zip(batch.originals, results) {
            switch result {
            case .failure(let error): faults.append(QuarantinedDocument(document, reason: error.message))
            case .success(let outcome):
                for (revision, error) in outcome.faults.sorted(by: { $0.key < $1.key }) {
                    faults.append(QuarantinedDocument(document, revision: revision, reason: error.message))
                }
            }
        }
        return faults
    }

    func counts(_ results: Results, on before: MigrationJournal.Counts, seconds: Double) -> MigrationJournal.Counts {
        var counts = before
        var table = CollectionCounts(before.collections)
        for (document, result) in zip(batch.originals, results) {
            let bytes = document.revisions.reduce(0) { $0 + $1.body.count }
            counts.documents += 1
            counts.bytes += bytes
            guard let outcome = try? result.get() else { continue }
            table.add(outcome, legacyID: document.id, bytes: bytes + document.attachmentBytes)
        }
        for fault in faults(results) {
            table.addFault(fault.collection.description, fault.revision.map { "\(fault.id) \($0)" } ?? fault.id)
        }
        counts.documents += batch.faults.count { fault in fault.revision == nil }
        counts.collections = table.collections
        counts.seconds = seconds
        return counts
    }
}

extension SourceDocument {
    /// Bytes of the leaves' attachments, as far as the source says.
    var attachmentBytes: Int {
        revisions.filter(\.isLeaf).flatMap { $0.attachments?.entries ?? [] }.reduce(0) { $0 + ($1.storedLength ?? 0) }
    }
}
