import Coordination
import Documents
import Gateway
import LegacyProtocol

/// Writes pulled revisions in batches. Revisions of the legacy upstream are written in the order of its feed, because sequences of that feed are
/// translated by this order.
///
/// Waiting revisions are bounded by ``ReplicationLimits/windowSize`` and by the revisions that are requested at the same time. Beyond the bound,
/// requests are held back, except the request for which the others wait; it may bring as much again. Beyond that, or after
/// ``ReplicationLimits/orderTimeout``, the waiting revisions are written out of order: the order saves rows, and no document depends on it.
actor PulledRevisionWriter {
    typealias Report = RevisionFetcher.Report

    private struct Item: Sendable {
        let revision: PulledRevision
        let wanted: MissingRevision
    }

    private let keyspace: Keyspace
    private let limits: ReplicationLimits
    private let isUpstream: Bool
    private var window: FeedWindow<Item>

    /// The mean size of the latest revisions in bytes. The initial value assumes large revisions.
    private var typicalSize = 64 << 10

    /// Admits one ordered write at a time.
    private let turns = Semaphore(limit: 1)

    /// Requests that are held back until the window has room.
    private var waits: [Int: CheckedContinuation<Void, Never>] = [:]
    private var lastWait = 0

    /// - Parameter isUpstream: Whether the server is the legacy upstream. If so, revisions are ordered and its branches are accepted.
    init(keyspace: Keyspace, limits: ReplicationLimits, isUpstream: Bool) {
        self.keyspace = keyspace
        self.limits = limits
        self.isUpstream = isUpstream
        window = FeedWindow(isOrdered: isUpstream)
    }

    /// How many revisions one request may ask for, so that the responses to all concurrent requests fit into the window.
    var batch: Int {
        guard isUpstream else { return limits.batch }
        return max(1, min(limits.batch, limits.windowSize / max(1, limits.concurrency) / max(1, typicalSize)))
    }

    /// The bytes of revisions that wait for earlier ones.
    var waitingSize: Int { window.waitingSize }

    /// The number of requests that are held back.
    var heldBack: Int { waits.count }

    /// Adds a revision, and writes the ready revisions if they are large enough together.
    ///
    /// - Parameters:
    ///   - batch: The places of the revisions that the same request asks for.
    ///   - report: Called with completed revisions once they are durable.
    /// - Returns: Revisions that lack an attachment and have to be requested again.
    func add(
        _ revision: PulledRevision, for wanted: MissingRevision, in batch: ClosedRange<Int>, _ report: Report
    ) async throws -> [MissingRevision] {
        let head = window.head
        window.add(Item(revision: revision, wanted: wanted), size: revision.size, at: wanted.place)
        typicalSize = (typicalSize * 15 + revision.size) / 16
        if window.head != head { wakeAll() }
        if window.readySize >= limits.writeSize { return try await flush(report) }
        let end = ContinuousClock.now + limits.orderTimeout
        while wanted.place > window.head, window.waitingSize > limits.windowSize {
            try Task.checkCancellation()
            let isAwaited = batch.contains(window.head)
            if isAwaited, window.waitingSize / 2 <= limits.windowSize { break }
            guard !isAwaited, ContinuousClock.now < end else {
                window.release()
                wakeAll()
                return try await flush(report)
            }
            await waitForRoom(until: end)
        }
        return []
    }

    /// Marks a revision for which later ones no longer wait: it does not arrive, or not soon.
    func pass(_ wanted: MissingRevision) {
        window.pass(wanted.place)
        wakeAll()
    }

    /// Writes the ready revisions.
    ///
    /// - Returns: Revisions that lack an attachment and have to be requested again.
    func flush(_ report: Report) async throws -> [MissingRevision] {
        guard isUpstream else { return try await write(window.takeReady(), report) }
        await turns.acquire()
        defer { turns.release() }
        return try await write(window.takeReady(), report)
    }

    private func write(_ items: [Item], _ report: Report) async throws -> [MissingRevision] {
        var again: [MissingRevision] = []
        var rest = items[...]
        while !rest.isEmpty {
            var size = 0
            let count = rest.prefix { item in
                defer { size += item.revision.size }
                return size < limits.writeSize
            }.count
            let items = rest.prefix(max(1, count))
            rest = rest.dropFirst(max(1, count))
            let isLast = Self.lastOfDocuments(items)
            for isTurn in [false, true] {
                let items = zip(items, isLast).filter { $0.1 == isTurn }.map(\.0)
                if !items.isEmpty { again += try await writeTogether(items[...], report) }
            }
        }
        return again
    }

    /// For each item, whether it is the last revision of its document.
    ///
    /// A document in conflict has several revisions, of which the last determines its position in the feed. They are written in two passes: if
    /// the sync function has already run for the first revision of a document, it runs again for the next one after all other revisions of the
    /// same write.
    private static func lastOfDocuments(_ items: ArraySlice<Item>) -> [Bool] {
        var seen: Set<ExactString> = []
        return Array(items.reversed().map { seen.insert(ExactString($0.wanted.id)).inserted }.reversed())
    }

    private func writeTogether(_ items: ArraySlice<Item>, _ report: Report) async throws -> [MissingRevision] {
        var again: [MissingRevision] = []
        var outcomes: [RevisionFetcher.Outcome] = items.filter { $0.revision.write == nil }.map { ($0.wanted, nil) }
        let batch = items.compactMap { item in item.revision.write.map { (write: $0, wanted: item.wanted) } }
        do {
            // Branches of the upstream are accepted whatever the database's conflict policy. If both sides refused branches, neither would ever
            // get the other's.
            let results = try await keyspace.write(batch.map { isUpstream ? $0.write.acceptingBranch : $0.write })
            for (result, item) in zip(results, batch) {
                var wanted = item.wanted
                if case .replicated(let history, _) = item.write.kind { wanted.history = history }
                switch result {
                case .success: outcomes.append((wanted, nil))
                case .failure(let error) where error.code == .missingAttachment && !item.write.keepsMissingAttachments:
                    again.append(wanted)
                case .failure(let error): outcomes.append((wanted, ReplicationError(local: error)))
                }
            }
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw ReplicationError(local: error)
        }
        if !outcomes.isEmpty { await report(outcomes) }
        return again
    }

    private func waitForRoom(until end: ContinuousClock.Instant) async {
        lastWait += 1
        let wait = lastWait
        let alarm = Task {
            // A timeout for revisions that do not arrive, which cause no event. Cancelled when the window has room.
            try await suspend(for: end - .now)
            self.wake(wait)
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled { continuation.resume() } else { waits[wait] = continuation }
            }
        } onCancel: {
            Task { await self.wake(wait) }
        }
        alarm.cancel()
    }

    private func wake(_ wait: Int) {
        waits.removeValue(forKey: wait)?.resume()
    }

    private func wakeAll() {
        for wait in waits.keys { wake(wait) }
    }
}

extension RevisionWrite {
    fileprivate var acceptingBranch: RevisionWrite {
        guard case .replicated(let history, .branch) = kind else { return self }
        var write = self
        write.kind = .replicated(history: history, conflicts: .accept)
        return write
    }
}

/// A revision received from the server, ready to be written.
struct PulledRevision: Sendable {
    let id: String
    let revision: RevisionID

    /// `nil` if the server reports only that the user has lost access to the document.
    private(set) var write: RevisionWrite?

    /// The approximate size in bytes.
    let size: Int

    /// The revision with stubs for attachments whose bytes were requested but not sent: the server does not have them.
    var keepingMissingAttachments: PulledRevision {
        var revision = self
        revision.write?.keepsMissingAttachments = true
        return revision
    }

    /// - Parameter parts: The attachments that followed the document.
    /// - Throws: ``ReplicationError``, or the error for an invalid attachment.
    init(_ document: ParsedDocument, parts: [ReceivedAttachment] = [], intake: AttachmentImporter) async throws {
        guard let id = document.id, let revision = document.revision else {
            throw ReplicationError(.upstream, "The server sent a document without its ID or revision")
        }
        self.id = id
        self.revision = revision
        guard !document.isRemoved else {
            write = nil
            size = 0
            return
        }
        guard let history = document.history ?? (revision.generation == 1 ? [revision] : nil) else {
            throw ReplicationError(.upstream, "The server sent \(id) \(revision) without its history")
        }
        var write = RevisionWrite(
            id: id, kind: .replicated(history: history, conflicts: .branch), isDeleted: document.isDeleted, body: document.body)
        try await intake.importAttachments(document.attachments, parts: parts, into: &write)
        self.write = write
        size = document.body.count + write.attachmentBytes.values.reduce(0) { $0 + $1.count }
    }
}
