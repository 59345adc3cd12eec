import Synchronization

/// The part of a store check that every engine shares: the findings, and the rules for documents and attachments.
///
/// An engine reads its rows and passes them on.
package struct StoreCheck {
    private let limit: Int
    private let progress: @Sendable (CheckProgress) -> Void
    private let cancellation: CheckCancellation

    package var report = CheckReport()

    /// The documents of each scope, counted during the check.
    var counted: [FeedScope: DocumentCounts] = [:]
    package var lastSequence = SequenceNumber.zero
    package var collections: [CollectionKey: CollectionRecord] = [:]

    /// - Parameters:
    ///   - limit: The maximum number of described problems; all are counted.
    ///   - progress: Called regularly.
    ///   - cancellation: Ends the check.
    package init(limit: Int, progress: @escaping @Sendable (CheckProgress) -> Void, cancellation: CheckCancellation) {
        self.limit = limit
        self.progress = progress
        self.cancellation = cancellation
    }

    /// Records a problem.
    package mutating func record(_ subject: StoreProblem.Subject, _ message: String) {
        report.counts[subject, default: 0] += 1
        if report.problems.count < limit { report.problems.append(StoreProblem(subject, message)) }
    }

    /// Records rows that belong to attachments that do not exist, by their numbers.
    package mutating func recordStrays(uses: Int64, parts: Int64, aliases: Int64) {
        if uses > 0 { record(.attachment, "\(uses) uses refer to attachments that do not exist") }
        if parts > 0 { record(.attachment, "\(parts) parts belong to attachments that do not exist") }
        if aliases > 0 { record(.attachment, "\(aliases) aliases refer to attachments that do not exist") }
    }

    /// Reports progress. Throws if the check was cancelled.
    package func tick(_ stage: CheckProgress.Stage, _ done: Int64, of total: Int64, every steps: Int64 = 1000) throws {
        guard done % steps == 0 || done == total else { return }
        try cancellation.check()
        progress(CheckProgress(stage: stage, done: done, total: total))
    }

    /// Compares the stored counts of each scope with those of the checked documents.
    package mutating func checkCounts(_ snapshot: any StoreSnapshot) throws {
        for scope in [.unified] + collections.keys.sorted().map({ FeedScope.collection($0) }) {
            let stored = try snapshot.counts(scope)
            let found = counted[scope] ?? DocumentCounts()
            if stored != found { record(.database, "the counts of \(scope) are \(stored), but there are \(found)") }
        }
    }
}

/// An engine's part of a store check: it reads the rows, and ``StoreCheck`` has the rules.
package protocol EngineChecker {
    associatedtype Snapshot: StoreSnapshot

    /// The state that is checked.
    var snapshot: Snapshot { get }
    var check: StoreCheck { get set }

    /// Checks the engine's own structures and the single values, and passes these on.
    mutating func checkStructures() throws

    /// Checks every document's row and its bodies.
    mutating func checkDocuments() throws
    mutating func checkReferences() throws

    /// Checks the parts, digest and use count of every attachment. Unfinished attachments are skipped.
    mutating func checkAttachments() throws
}

extension EngineChecker {
    package mutating func run() throws -> CheckReport {
        // Any stage can find damaged pages. That is a finding, not a failure of the check.
        do {
            try checkStructures()
            try checkDocuments()
            try check.checkCounts(snapshot)
            try checkReferences()
            try checkAttachments()
        } catch let error as StorageError where error.code == .corrupt {
            check.record(.file, "the check was stopped by an error: \(error)")
        }
        return check.report
    }
}

/// Passes the cancellation of a task to a check on another thread.
package final class CheckCancellation: Sendable {
    private let isCancelled = Atomic(false)

    package init() {}

    /// Runs a check, and cancels it with the task.
    package static func during<Value: Sendable>(_ check: (CheckCancellation) async throws -> Value) async throws -> Value {
        let cancellation = CheckCancellation()
        return try await withTaskCancellationHandler {
            try await check(cancellation)
        } onCancel: {
            cancellation.isCancelled.store(true, ordering: .relaxed)
        }
    }

    func check() throws {
        if isCancelled.load(ordering: .relaxed) { throw CancellationError() }
    }
}
