import Coordination
import Documents
import Gateway
import Storage

/// Outcome of a batch's documents, for the journal, the quarantine and the report.
final class BatchTally: Sendable {
    typealias Results = [Result<ImportOutcome, GatewayError>]

    /// Import results and the run's counts including them.
    struct Outcome: Sendable {
        let results: Results
        let counts: MigrationJournal.Counts
    }

    private let batch: PreparedBatch
    private let source: String

    /// Outcome of the committed transaction.
    let outcome = Lock<Outcome?>(nil)

    init(_ batch: PreparedBatch, source: String) {
        self.batch = batch
        self.source = source
    }

    /// Quarantines documents that were not written, and removes written ones from the quarantine.
    func record(_ outcome: Outcome, run: Int64, in transaction: any StoreTransaction) throws {
        self.outcome.withLock { $0 = outcome }
        let results = outcome.results
        if try transaction.quarantineCount() > 0 {
            for (document, result) in zip(batch.originals, results) where (try? result.get()) != nil {
                try transaction.releaseQuarantine(of: document)
            }
        }
        let now = MigrationJournal.now
        for fault in faults(results) { try transaction.quarantine(fault.record(run: run, source: source, at: now)) }
    }

    /// Documents and revisions that were not written.
    func faults(_ results: Results) -> [QuarantinedDocument] {
        var faults = batch.faults
        for index in results.indices {
            switch results[index] {
            case .failure(let error): faults.append(QuarantinedDocument(batch.originals[index], reason: error.message))
            case .success(let outcome):
                for (revision, error) in outcome.faults.sorted(by: { $0.key < $1.key }) {
                    faults.append(QuarantinedDocument(batch.originals[index], revision: revision, reason: error.message))
                }
            }
        }
        return faults
    }

    /// Attachments of written documents whose bytes the source lacks.
    func missing(_ results: Results) -> [MissingAttachment] {
        zip(results, batch.missing).flatMap { result, missing in (try? result.get()).map { $0.kind != .leftOut } == true ? missing : [] }
    }

    /// Revisions that the login cannot read.
    var unseen: [InaccessibleRevision] { batch.unseen }

    func counts(_ results: Results, on before: MigrationJournal.Counts, seconds: Double) -> MigrationJournal.Counts {
        var counts = before
        var table = CollectionCounts(before.collections)
        for index in results.indices {
            let size = batch.sizes[index]
            if !batch.originals[index].isContinued { counts.documents += 1 }
            counts.bytes += size.bodies
            guard case .success(let outcome) = results[index] else { continue }
            table.add(outcome, of: batch.originals[index], bytes: size.total)
            if outcome.kind != .leftOut { table.addMissing(batch.missing[index], in: outcome.collection.description) }
        }
        for fault in faults(results) { table.add(fault) }
        counts.documents += batch.faults.count { $0.revision == nil } + batch.unseen.count { $0.revision == nil }
        counts.unseen = (counts.unseen ?? 0) + batch.unseen.count
        counts.collections = table.collections
        counts.seconds = seconds
        return counts
    }
}
