import Access
import BLIP
import Gateway
import HTTP
import Logging
import ModernProtocol

/// One client's connection.
///
/// Everything about the connection is decided here, on one actor and in the order in which it arrives; what waits for the store or for
/// the client runs as a task beside it. Messages that arrive together are dealt with together: there is no task and no hop an item.
actor ModernSession: BLIPSession {
    /// Work that waits for something.
    typealias Job = @Sendable (isolated ModernSession) async -> Void

    let socket: any MessageSocket
    let subprotocol: Subprotocol
    let limits: SessionLimits

    /// What the client says that it is.
    let client: ClientDescription
    let logger: Logger
    let connection: BLIPConnection
    let deltaCounter: DeltaCounter

    var collections: CollectionMap

    /// The UUID of the client's database, once it has told it.
    var clientUUID: String?
    var permits = AttachmentPermits()
    var load = SessionLoad()

    /// Our requests whose replies have not come.
    var awaited: [UInt64: AwaitedAnswer] = [:]

    /// Answers of the client to `changes`, whose revisions are being sent in their order.
    var wanted: [WantedRevisions] = []
    var isSendingRevisions = false

    /// Who fetches attachments from the client, and who sends them.
    let downloads: Turnstile
    let uploads: Turnstile

    /// What the client's unfinished messages, what waits to be written and what waits to be sent take of the process's memory. It is the session's own until it
    /// runs.
    private let memory: MemoryAccount
    private var share: MemoryShare?

    /// Open when there is something to send, when something was sent, and when work was finished.
    let toSend = Gate()
    let sent = Gate()
    let relieved = Gate()

    /// Jobs that begin when the messages at hand have been dealt with.
    var jobs: [Job] = []

    /// Counts what goes either way, so that a pause is noticed.
    var activity: UInt64 = 0

    /// Waits for such a pause; cancelled when the connection ends.
    var quiet: Task<Void, Never>?

    /// How the connection ends, once it does.
    private(set) var end: SessionEnd?

    init(
        socket: any MessageSocket, database: Database, principal: Principal, login: LoginProof? = nil, subprotocol: Subprotocol,
        limits: SessionLimits,
        deltaCounter: DeltaCounter = DeltaCounter(), client: ClientDescription = ClientDescription(),
        memory: MemoryAccount = MemoryAccount(), logger: Logger
    ) {
        self.socket = socket
        self.subprotocol = subprotocol
        self.limits = limits
        self.client = client
        self.deltaCounter = deltaCounter
        self.memory = memory
        self.logger = logger
        var blip = limits.blip
        // A document over the limit is refused by an error reply, not by closing the connection.
        blip.maxBodySize = max(blip.maxBodySize, database.configuration.limits.documentSize + (1 << 20))
        connection = BLIPConnection(limits: blip, compression: limits.compression)
        collections = CollectionMap(database: database, principal: principal, login: login)
        downloads = Turnstile(limit: limits.attachmentDownloads)
        uploads = Turnstile(limit: limits.attachmentUploads)
    }

    var isEnded: Bool { end != nil }

    /// Serves the connection until it ends.
    func run() async {
        share = memory.share { [weak self] in
            Task { await self?.runOut() }
        }
        defer { share = nil }
        await withDiscardingTaskGroup { group in
            group.addTask { await self.sendFrames() }
            while let frames = await receiveFrames() {
                receive(frames)
                let held = connection.bufferedBytes + connection.queuedBytes + load.bytes + load.bytesAwaitingAttachments
                if share?.resize(to: held) == false { await runOut() }
                for job in jobs {
                    group.addTask { await job(self) }
                }
                jobs.removeAll(keepingCapacity: jobs.count <= 64)
                await relief()
            }
            await leave()
            group.cancelAll()
        }
    }

    /// Ends the connection; the first reason counts. Whoever waits for the client goes on and finds that it has ended.
    func finish(_ reason: SessionEnd) {
        guard end == nil else { return }
        end = reason
        toSend.open()
        sent.open()
        relieved.open()
        quiet?.cancel()
        downloads.open()
        uploads.open()
        for collection in collections.all {
            collection.feed?.stop()
            collection.pullBegan.open()
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

    /// Ends the connection because of trouble on this side, or because the client is no longer let in, from outside the reading task, which waits for the
    /// socket.
    func fail(_ error: any Error) async {
        guard end == nil else { return }
        if let error = error as? GatewayError, error.code == .unauthorized {
            logger.info("a client is disconnected: its login has ended, or its user is disabled or gone")
        } else {
            logger.error("a client is disconnected because of trouble here", metadata: ["error": "\(error)"])
        }
        finish(.trouble)
        await socket.drop()
    }

    /// Drops the connection, because what the client has sent takes more memory than there is. Its client comes back, as after a failure of the network.
    private func runOut() async {
        guard end == nil else { return }
        logger.warning(
            "a client is disconnected: clients' data takes all the memory that there is for it, and most of it is this client's",
            metadata: ["limit": "\(memory.limit)"])
        finish(.trouble)
        await socket.drop()
    }

    private func leave() async {
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

/// How a connection comes to its end.
enum SessionEnd {
    /// The peer has closed, or the connection has broken.
    case peer
    /// The peer does not speak BLIP as it has to: close with the code that says so.
    case violation(BLIPError)
    /// Trouble on this side: drop the connection, and the client will come back.
    case trouble
}

/// How much work of a session is under way that comes to its end without the client.
struct SessionLoad {
    /// Requests whose answers are being found.
    var requests = 0

    /// Revisions that wait to be written or are being written, and their bytes.
    var revisions = 0
    var bytes = 0

    /// Revisions that wait for attachments, and their bytes. They wait for the client, so they never keep the socket from being read.
    var revisionsAwaitingAttachments = 0
    var bytesAwaitingAttachments = 0

    /// Proposals that wait for the client's own pull.
    var waitingProposals = 0

    func isTooMuch(_ limits: SessionLimits) -> Bool {
        requests >= limits.requests || revisions >= limits.revisionsToWrite || bytes >= limits.bytesToWrite
    }
}
