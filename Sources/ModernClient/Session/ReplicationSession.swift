import BLIP
import Coordination
import Gateway
import Logging
import ModernProtocol

/// A replicator's side of one connection.
///
/// As in the listener's session, one actor makes all decisions and processes messages that arrive together as a batch. A few tasks for each
/// collection wait for the store or the server: one reads the local feed, one proposes and sends, one replies to `changes`, one writes.
actor ReplicationSession: BLIPSession {
    /// Work that waits for the store or for the server.
    typealias Job = @Sendable (isolated ReplicationSession) async -> Void

    let socket: any MessageSocket
    let subprotocol: Subprotocol
    let plan: ReplicationPlan
    let replicatorLimits: ReplicatorLimits
    let clock: any Clock<Duration>
    let logger: Logger
    let notify: @Sendable (ReplicationSessionEvent) -> Void
    let connection: BLIPConnection
    let deltaCounter: DeltaCounter

    let collections: [CollectionReplication]
    var permits = AttachmentPermits()
    var awaited: [UInt64: OutstandingRequest] = [:]
    let downloads: Semaphore
    let uploads: Semaphore

    let toSend = Condition()
    let sent = Condition()

    /// Notified on any change of state that a task may wait for.
    let changed = Condition()

    /// Jobs that start once the received messages have been processed.
    var jobs: [Job] = []

    /// Whether the session ends once the received revisions are stored.
    private(set) var isStopping = false
    private var stopLimit: Task<Void, Never>?
    private(set) var end: ReplicationEnd?

    /// The numbers of completed and of discovered changes since the last report.
    var completed = 0
    var total = 0
    private var wasBusy: Bool?

    init(
        socket: any MessageSocket, subprotocol: Subprotocol, plan: ReplicationPlan, limits: ReplicatorLimits, clock: any Clock<Duration>,
        deltaCounter: DeltaCounter = DeltaCounter(), logger: Logger, notify: @escaping @Sendable (ReplicationSessionEvent) -> Void
    ) {
        self.socket = socket
        self.subprotocol = subprotocol
        self.plan = plan
        replicatorLimits = limits
        self.clock = clock
        self.deltaCounter = deltaCounter
        self.logger = logger
        self.notify = notify
        connection = BLIPConnection(limits: limits.session.blip, compression: limits.session.compression)
        collections = plan.collections.enumerated().map {
            CollectionReplication($1, index: plan.isUnnamed && !subprotocol.hasVersions ? nil : $0)
        }
        downloads = Semaphore(limit: limits.session.attachmentDownloads)
        uploads = Semaphore(limit: limits.session.attachmentUploads)
    }

    nonisolated var limits: SessionLimits { replicatorLimits.session }

    var isEnded: Bool { end != nil }

    /// Replicates until all is done, the session is stopped, or the connection ends.
    ///
    /// - Returns: The reason for the end of the connection.
    func run() async -> ReplicationEnd {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.sendFrames() }
            group.addTask { await self.converse() }
            group.addTask { await self.closeWhenEnded() }
            while let frames = await receiveFrames() {
                receive(frames)
                for job in jobs {
                    group.addTask { await job(self) }
                }
                jobs.removeAll(keepingCapacity: true)
                changed.notifyAll()
                await waitForCapacity()
            }
        }
        // Revisions that were stored after the end of the connection are reported too.
        report()
        return end ?? .closedByPeer
    }

    /// Stores the received revisions, saves the checkpoints, and closes the connection.
    func stop() {
        guard !isStopping, !isEnded else { return }
        isStopping = true
        changed.notifyAll()
        stopLimit = Task { await self.finishAfterTimeout() }
    }

    /// Ends the session after ``ReplicatorLimits/stopTimeout``, so that an unresponsive server does not block the replicator.
    func finishAfterTimeout() async {
        guard (try? await clock.sleep(for: replicatorLimits.stopTimeout)) != nil, !Task.isCancelled else { return }
        finish(.unanswered)
    }

    /// Ends the connection; only the first reason counts. Tasks that wait for the server resume and see that the connection has ended.
    func finish(_ reason: ReplicationEnd) {
        guard end == nil else { return }
        end = reason
        stopLimit?.cancel()
        toSend.notifyAll()
        sent.notifyAll()
        changed.notifyAll()
        downloads.removeLimit()
        uploads.removeLimit()
        for case .inbox(let inbox) in awaited.values {
            inbox.close()
        }
        awaited = [:]
    }

    func fail(_ error: any Error) async {
        logger.debug("a replication fails", metadata: ["error": "\(error)"])
        finish(.failed(ReplicatorError(local: error)))
    }

    func sendFailed(_ error: any Error) async {
        finish(.lost("\(error)"))
    }

    /// Closes the socket once the session has ended, so that no task waits for messages.
    private func closeWhenEnded() async {
        while end == nil { await changed.wait() }
        guard let code = end?.closeCode else { return await socket.drop() }
        await socket.close(code: code, reason: "")
    }

    /// Reports whether there is data to transfer, if that has changed.
    func report(isBusy: Bool) {
        report()
        guard isBusy != wasBusy else { return }
        wasBusy = isBusy
        notify(.transfers(isBusy))
    }

    /// Reports progress and document outcomes since the last report.
    func report() {
        if completed > 0 || total > 0 {
            notify(.progress(completed: completed, total: total))
            (completed, total) = (0, 0)
        }
        for collection in collections {
            if !collection.pushed.isEmpty {
                notify(.documents(DocumentReplication(isPush: true, documents: collection.pushed)))
                collection.pushed = []
            }
            if !collection.pulled.isEmpty {
                notify(.documents(DocumentReplication(isPush: false, documents: collection.pulled)))
                collection.pulled = []
            }
        }
    }
}

/// The reason for the end of a replicator's connection.
enum ReplicationEnd: Sendable {
    /// All is done, or the session was stopped.
    case done
    /// The session is done or was stopped, and the server does not reply in time.
    case unanswered
    /// The server closed the connection; the opener of the connection has the close code and reason.
    case closedByPeer
    /// The connection broke.
    case lost(String)
    case failed(ReplicatorError)
    case violation(BLIPError)

    /// The close code to send; `nil` if there is no connection to close.
    var closeCode: UInt16? {
        switch self {
        case .done: 1000
        case .closedByPeer, .lost, .unanswered: nil
        case .violation(let error): error.closeCode
        case .failed(let error):
            switch error.code.kind {
            case .http(404): 1000
            case .http(503): 4001
            case .http, .webSocket, .network, .liteCore: 4002
            }
        }
    }
}

/// An event that a replicator's connection reports to the replicator.
enum ReplicationSessionEvent: Sendable {
    /// The connection is open and negotiated.
    case connected
    /// Whether there is data to transfer.
    case transfers(Bool)
    /// Numbers of newly discovered and newly completed changes.
    case progress(completed: Int, total: Int)
    /// A large amount of data was transferred.
    case bytes
    case documents(DocumentReplication)
}
