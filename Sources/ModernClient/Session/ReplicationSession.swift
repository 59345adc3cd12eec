import BLIP
import Gateway
import Logging
import ModernProtocol

/// A replicator's side of one connection.
///
/// As in the listener's session all is decided on one actor, messages that arrive together are dealt with together, and a few tasks for
/// each collection wait for the store or the server: one reads the local feed, one proposes and sends, one answers `changes`, one writes.
actor ReplicationSession: BLIPSession {
    /// Work that waits for something.
    typealias Job = @Sendable (isolated ReplicationSession) async -> Void

    let socket: any MessageSocket
    let subprotocol: Subprotocol
    let plan: ReplicationPlan
    let replicationLimits: ReplicationLimits
    let clock: any Clock<Duration>
    let logger: Logger
    let tell: @Sendable (ReplicationEvent) -> Void
    let connection: BLIPConnection
    let deltaCounter: DeltaCounter

    let collections: [CollectionReplication]
    var permits = AttachmentPermits()
    var awaited: [UInt64: AwaitedReply] = [:]
    let downloads: Turnstile
    let uploads: Turnstile

    let toSend = Gate()
    let sent = Gate()

    /// Open when anything has changed that a task may wait for.
    let changed = Gate()

    /// Jobs that begin when the messages at hand have been dealt with.
    var jobs: [Job] = []

    /// Whether it shall come to an end when what has come is stored.
    private(set) var isStopping = false
    private var stopLimit: Task<Void, Never>?
    private(set) var end: ReplicationEnd?

    /// Changes in sight and dealt with since they were last told.
    var completed = 0
    var total = 0
    private var wasBusy: Bool?

    init(
        socket: any MessageSocket, subprotocol: Subprotocol, plan: ReplicationPlan, limits: ReplicationLimits, clock: any Clock<Duration>,
        deltaCounter: DeltaCounter = DeltaCounter(), logger: Logger, tell: @escaping @Sendable (ReplicationEvent) -> Void
    ) {
        self.socket = socket
        self.subprotocol = subprotocol
        self.plan = plan
        replicationLimits = limits
        self.clock = clock
        self.deltaCounter = deltaCounter
        self.logger = logger
        self.tell = tell
        connection = BLIPConnection(limits: limits.session.blip, compression: limits.session.compression)
        collections = plan.collections.enumerated().map {
            CollectionReplication($1, index: plan.isUnnamed && !subprotocol.hasVersions ? nil : $0)
        }
        downloads = Turnstile(limit: limits.session.attachmentDownloads)
        uploads = Turnstile(limit: limits.session.attachmentUploads)
    }

    nonisolated var limits: SessionLimits { replicationLimits.session }

    var isEnded: Bool { end != nil }

    /// Replicates until all is done, the session is stopped, or the connection ends.
    ///
    /// - Returns: How it ended.
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
                changed.open()
                await relief()
            }
        }
        // What was stored when the connection had ended is told, too.
        report()
        return end ?? .closedByPeer
    }

    /// Has what has arrived stored, the checkpoints saved, and the connection closed.
    func stop() {
        guard !isStopping, !isEnded else { return }
        isStopping = true
        changed.open()
        stopLimit = Task { await self.giveUpInTime() }
    }

    /// Ends what is waited for after a time: a server that does not answer does not keep the replicator.
    func giveUpInTime() async {
        guard (try? await clock.sleep(for: replicationLimits.stopTimeout)) != nil, !Task.isCancelled else { return }
        finish(.unanswered)
    }

    /// Ends the connection; the first reason counts. Whoever waits for the server goes on and finds that it has ended.
    func finish(_ reason: ReplicationEnd) {
        guard end == nil else { return }
        end = reason
        stopLimit?.cancel()
        toSend.open()
        sent.open()
        changed.open()
        downloads.open()
        uploads.open()
        for case .inbox(let inbox) in awaited.values {
            inbox.close()
        }
        awaited = [:]
    }

    func fail(_ error: any Error) async {
        logger.debug("a replication fails", metadata: ["error": "\(error)"])
        finish(.failed(ReplicatorError(local: error)))
    }

    func lose(_ error: any Error) async {
        finish(.lost("\(error)"))
    }

    /// Closes the socket once the session has come to its end, so that nobody waits for messages any more.
    private func closeWhenEnded() async {
        while end == nil { await changed.wait() }
        guard let code = end?.closeCode else { return await socket.drop() }
        await socket.close(code: code, reason: "")
    }

    /// Tells whether there is something to transfer, where that has changed.
    func report(isBusy: Bool) {
        report()
        guard isBusy != wasBusy else { return }
        wasBusy = isBusy
        tell(.transfers(isBusy))
    }

    /// Tells what has become of documents since it was last told.
    func report() {
        if completed > 0 || total > 0 {
            tell(.progress(completed: completed, total: total))
            (completed, total) = (0, 0)
        }
        for collection in collections {
            if !collection.pushed.isEmpty {
                tell(.documents(DocumentReplication(isPush: true, documents: collection.pushed)))
                collection.pushed = []
            }
            if !collection.pulled.isEmpty {
                tell(.documents(DocumentReplication(isPush: false, documents: collection.pulled)))
                collection.pulled = []
            }
        }
    }
}

/// How a replicator's connection comes to its end.
enum ReplicationEnd: Sendable {
    /// All is done, or it was stopped.
    case done
    /// It was stopped, or all is done, and the server does not answer: nothing more is waited for.
    case unanswered
    /// The server has closed; what it said is known to who opened the connection.
    case closedByPeer
    /// The connection has broken.
    case lost(String)
    case failed(ReplicatorError)
    case violation(BLIPError)

    /// The code to close with; `nil` if there is nothing left to close.
    var closeCode: UInt16? {
        switch self {
        case .done: 1000
        case .closedByPeer, .lost, .unanswered: nil
        case .violation(let error): error.closeCode
        case .failed(let error):
            switch error.code {
            case .httpNotFound: 1000
            case .httpServiceUnavailable: 4001
            default: 4002
            }
        }
    }
}

/// What a connection of a replicator tells it.
enum ReplicationEvent: Sendable {
    /// It is open and negotiated.
    case connected
    /// There is something to transfer, or nothing for now.
    case transfers(Bool)
    /// Changes came in sight, and others were dealt with.
    case progress(completed: Int, total: Int)
    /// Much has been transferred meanwhile.
    case bytes
    case documents(DocumentReplication)
}
