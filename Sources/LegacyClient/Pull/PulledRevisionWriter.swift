import Documents
import Gateway
import LegacyProtocol

/// Writes pulled revisions, many together; those of the legacy upstream in the order of its feed, by which places of that feed are translated.
///
/// What waits for its turn is bounded by ``ReplicationLimits/windowSize``, and by the revisions that are asked for at the same time: requests that bring
/// more are held back. The request that the others wait for is not, and may bring as much again. Afterwards, or after
/// ``ReplicationLimits/orderPatience``, the order of what waits is given up: it saves rows, and no document depends on it.
actor PulledRevisionWriter {
    typealias Report = RevisionFetcher.Report

    private struct Item: Sendable {
        let revision: PulledRevision
        let wanted: WantedRevision
    }

    private let keyspace: Keyspace
    private let limits: ReplicationLimits
    private let isUpstream: Bool
    private var window: FeedWindow<Item>

    /// Bytes of a revision, about: the mean of the latest. Before any has come they are taken for large ones.
    private var typicalSize = 64 << 10

    private var isWriting = false
    private var turns: [CheckedContinuation<Void, Never>] = []

    /// Who is held back until there is room.
    private var waits: [Int: CheckedContinuation<Void, Never>] = [:]
    private var lastWait = 0

    /// - Parameter isUpstream: Whether the server is the legacy upstream: then order counts, and its branches are taken.
    init(keyspace: Keyspace, limits: ReplicationLimits, isUpstream: Bool) {
        self.keyspace = keyspace
        self.limits = limits
        self.isUpstream = isUpstream
        window = FeedWindow(isOrdered: isUpstream)
    }

    /// How many revisions are asked for together, so that the answers to all requests under way find room.
    var batch: Int {
        guard isUpstream else { return limits.batch }
        return max(1, min(limits.batch, limits.windowSize / max(1, limits.concurrency) / max(1, typicalSize)))
    }

    /// Bytes that wait for something before them.
    var waitingSize: Int { window.waitingSize }

    /// How many requests are held back.
    var heldBack: Int { waits.count }

    /// Takes a revision in, and writes what can be written if that is much.
    ///
    /// - Parameters:
    ///   - batch: What its request asks for, by the places in the feed.
    ///   - report: Called with what has been dealt with, once it is durable.
    /// - Returns: Those that lack an attachment; they have to be asked for again.
    func add(
        _ revision: PulledRevision, for wanted: WantedRevision, in batch: ClosedRange<Int>, _ report: Report
    ) async throws -> [WantedRevision] {
        let head = window.head
        window.add(Item(revision: revision, wanted: wanted), size: revision.size, at: wanted.place)
        typicalSize = (typicalSize * 15 + revision.size) / 16
        if window.head != head { wakeAll() }
        if window.readySize >= limits.writeSize { return try await flush(report) }
        let end = ContinuousClock.now + limits.orderPatience
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

    /// Nothing waits for this revision any more: it does not come, or not soon.
    func pass(_ wanted: WantedRevision) {
        window.pass(wanted.place)
        wakeAll()
    }

    /// Writes what can be written.
    ///
    /// - Returns: Those that lack an attachment; they have to be asked for again.
    func flush(_ report: Report) async throws -> [WantedRevision] {
        guard isUpstream else { return try await write(window.takeReady(), report) }
        while isWriting { await withCheckedContinuation { turns.append($0) } }
        isWriting = true
        defer {
            isWriting = false
            if !turns.isEmpty { turns.removeFirst().resume() }
        }
        return try await write(window.takeReady(), report)
    }

    private func write(_ items: [Item], _ report: Report) async throws -> [WantedRevision] {
        var again: [WantedRevision] = []
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

    /// For each item whether no further revision of its document follows.
    ///
    /// Of a document in conflict several revisions come together, of which the last gives it its place in the feed. They are written in two turns, because a
    /// sync function that has judged the document before the first of them is asked again for the next, behind all others that are written together.
    private static func lastOfDocuments(_ items: ArraySlice<Item>) -> [Bool] {
        var seen: Set<ExactString> = []
        return Array(items.reversed().map { seen.insert(ExactString($0.wanted.id)).inserted }.reversed())
    }

    private func writeTogether(_ items: ArraySlice<Item>, _ report: Report) async throws -> [WantedRevision] {
        var again: [WantedRevision] = []
        var outcomes: [RevisionFetcher.Outcome] = items.filter { $0.revision.write == nil }.map { ($0.wanted, nil) }
        let batch = items.compactMap { item in item.revision.write.map { (write: $0, wanted: item.wanted) } }
        do {
            // What the fleet's server has is taken whatever the database's policy: where both refuse branches, neither would ever have the other's.
            let results = try await keyspace.write(batch.map { isUpstream ? $0.write.takenAsBranch : $0.write })
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
            // The bound on revisions that do not come: there is no event to wait for. Cancelled when there is room.
            try await Task.sleep(until: end, clock: .continuous)
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
    fileprivate var takenAsBranch: RevisionWrite {
        guard case .replicated(let history, .branch) = kind else { return self }
        var write = self
        write.kind = .replicated(history: history, conflicts: .accept)
        return write
    }
}

/// A revision as it came from the server, ready to be written.
struct PulledRevision: Sendable {
    let id: String
    let revision: RevisionID

    /// `nil` where the server says only that the user may not see the document any more.
    private(set) var write: RevisionWrite?

    /// Bytes, about.
    let size: Int

    /// The revision with stubs for what came without bytes, although all bytes were asked for: the server does not have them.
    var keepingMissingAttachments: PulledRevision {
        var revision = self
        revision.write?.keepsMissingAttachments = true
        return revision
    }

    /// - Parameter parts: The attachments that followed the document.
    /// - Throws: ``ReplicationError`` or what the document's attachments are refused with.
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
        try await intake.take(document.attachments, parts: parts, into: &write)
        self.write = write
        size = document.body.count + write.attachmentBytes.values.reduce(0) { $0 + $1.count }
    }
}
