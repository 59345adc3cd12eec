import Access
import BLIP
import Coordination
import Gateway
import HTTP
import Logging
import ModernProtocol
import Telemetry

/// One client's connection.
///
/// The actor makes all decisions of the connection, in the order of arrival. Work that waits for the store or for the client runs as a
/// separate task. Messages that arrive together are processed together, without a task or an actor hop per message.
actor ModernSession: BLIPSession {
    /// Work that waits for the store or for the client.
    typealias Job = @Sendable (isolated ModernSession) async -> Void

    let socket: any MessageSocket
    let subprotocol: Subprotocol
    let limits: SessionLimits

    /// The client's own description.
    let client: ClientDescription
    let logger: Logger
    let connection: BLIPConnection
    let deltaCounter: DeltaCounter

    /// The server that may have the client's checkpoint; `nil` if the client can have been on no other.
    let origin: (any CheckpointOrigin)?

    /// Makes the spans of messages; `nil` if nothing is traced.
    let trace: ConnectionTrace?

    /// The spans of the client's requests that have no reply yet.
    var spans: [UInt64: BridgeSpan] = [:]

    var collections: CollectionMap

    /// The UUID of the client's database, once the client has sent it.
    var clientUUID: String?
    var permits = AttachmentPermits()
    var load = SessionLoad()

    /// This session's requests whose replies are outstanding.
    var awaited: [UInt64: AwaitedAnswer] = [:]

    /// The revisions that the client wants, in the order of its replies to `changes`.
    var wanted: [WantedRevisions] = []
    var isSendingRevisions = false

    /// The limits of concurrent attachment downloads from the client and uploads to it.
    let downloads: Semaphore
    let uploads: Semaphore

    /// The account of the process's memory for client data, and this session's share of it: unfinished messages, revisions that wait to be
    /// written, and queued bytes. The share exists while the session runs.
    private let memory: MemoryAccount
    private var share: MemoryShare?

    /// Notified when there is something to send, when something was sent, and when work was finished.
    let toSend = Condition()
    let sent = Condition()
    let capacityFreed = Condition()

    /// Jobs that start once the received messages have been processed.
    var jobs: [Job] = []

    /// Counts traffic in either direction, to detect an idle connection.
    var activity: UInt64 = 0

    /// Waits for the connection to become idle; cancelled when the connection ends.
    var quiet: Task<Void, Never>?

    /// How the connection ended; `nil` while it is open.
    private(set) var end: SessionEnd?

    init(
        socket: any MessageSocket, database: Database, principal: Principal, login: LoginProof? = nil, subprotocol: Subprotocol,
        limits: SessionLimits,
        deltaCounter: DeltaCounter = DeltaCounter(), client: ClientDescription = ClientDescription(),
        origin: (any CheckpointOrigin)? = nil, memory: MemoryAccount = MemoryAccount(), trace: ConnectionTrace? = nil, logger: Logger
    ) {
        self.socket = socket
        self.subprotocol = subprotocol
        self.limits = limits
        self.client = client
        self.deltaCounter = deltaCounter
        self.origin = origin
        self.memory = memory
        self.trace = trace
        self.logger = logger
        var blip = limits.blip
        // A document over the limit gets an error reply; the connection stays open.
        blip.maxBodySize = max(blip.maxBodySize, database.configuration.limits.documentSize + (1 << 20))
        connection = BLIPConnection(limits: blip, compression: limits.compression)
        collections = CollectionMap(database: database, principal: principal, login: login)
        downloads = Semaphore(limit: limits.attachmentDownloads)
        uploads = Semaphore(limit: limits.attachmentUploads)
    }

    var isEnded: Bool { end != nil }

    /// Serves the connection until it ends.
    func run() async {
        share = memory.share { [weak self] in
            Task { await self?.dropForMemory() }
        }
        defer { share = nil }
        await withDiscardingTaskGroup { group in
            group.addTask { await self.sendFrames() }
            while let frames = await receiveFrames() {
                receive(frames)
                let held = connection.bufferedBytes + connection.queuedBytes + load.bytes + load.bytesAwaitingAttachments
                if share?.resize(to: held) == false { await dropForMemory() }
                for job in jobs {
                    group.addTask { await job(self) }
                }
                jobs.removeAll(keepingCapacity: jobs.count <= 64)
                await waitForCapacity()
            }
            await closeSocket()
            group.cancelAll()
        }
    }

    /// Ends the connection; only the first reason counts. Tasks that wait for the client resume and see that the connection has ended.
    func finish(_ reason: SessionEnd) {
        guard end == nil else { return }
        end = reason
        endSpans()
        toSend.notifyAll()
        sent.notifyAll()
        capacityFreed.notifyAll()
        quiet?.cancel()
        downloads.removeLimit()
        uploads.removeLimit()
        for collection in collections.all {
            collection.feed?.stop()
            collection.pullBegan.notifyAll()
        }
        for answer in awaited.values {
            if case .inbox(let inbox) = answer { inbox.close() }
            answer.feed?.stop()
        }
        awaited = [:]
        for revisions in wanted {
            revisions.feed.stop()
        }
    }

    /// Ends the connection because of an error on this side or because the client's access has ended. Callers are outside the reading task,
    /// which waits for the socket.
    func fail(_ error: any Error) async {
        guard end == nil else { return }
        if let error = error as? GatewayError, error.code == .unauthorized {
            logger.info("a client is disconnected: its login has ended, or its user is disabled or gone")
        } else {
            logger.error("a client is disconnected because of an error of the bridge", metadata: ["error": "\(error)"])
        }
        finish(.trouble)
        await socket.drop()
    }

    /// Drops the connection because client data exceeds the memory limit. The client reconnects, as after a network failure.
    private func dropForMemory() async {
        guard end == nil else { return }
        logger.warning(
            "a client is disconnected: the memory for clients' data is used up, and this client uses most of it",
            metadata: ["limit": "\(memory.limit)"])
        finish(.trouble)
        await socket.drop()
    }

    private func closeSocket() async {
        switch end {
        case .violation(let error):
            logger.info("a client broke the protocol", metadata: ["error": "\(error)"])
            await socket.close(code: error.closeCode, reason: error.message)
        case .trouble: await socket.drop()
        case .peer, nil: break
        }
        logger.debug("a client has disconnected")
    }
}

/// The reason for the end of a connection.
enum SessionEnd {
    /// The peer closed the connection, or the connection broke.
    case peer
    /// The peer violated the BLIP protocol: close with the code of that violation.
    case violation(BLIPError)
    /// An error on this side: drop the connection, so that the client reconnects.
    case trouble
}

/// The pending work of a session that does not depend on the client.
struct SessionLoad {
    /// Requests whose replies are being computed.
    var requests = 0

    /// Revisions that wait to be written or are being written, and their bytes.
    var revisions = 0
    var bytes = 0

    /// Revisions that wait for attachments, and their bytes. They depend on the client, so they never block reading from the socket.
    var revisionsAwaitingAttachments = 0
    var bytesAwaitingAttachments = 0

    /// Proposals that wait for the client's own pull.
    var waitingProposals = 0

    func isTooMuch(_ limits: SessionLimits) -> Bool {
        requests >= limits.requests || revisions >= limits.revisionsToWrite || bytes >= limits.bytesToWrite
    }
}
