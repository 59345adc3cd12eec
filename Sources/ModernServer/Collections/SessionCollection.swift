import BLIP
import Coordination
import Documents
import Gateway
import ModernProtocol

/// One collection of a connection: its keyspace and the state of its pull and push. Isolated to its session.
final class SessionCollection {
    let keyspace: Keyspace

    /// The value of the `collection` property; `nil` if messages name no collection.
    let index: String?

    /// Revisions that wait to be written, and whether a task is writing.
    var inbox = RevisionInbox()
    var isWriting = false

    /// Received deltas that have not been applied yet.
    var deltas: [IncomingDelta] = []

    /// The deltas that the client is sent. LiteCore sends its capability only once.
    var deltaUse = DeltaUse.none

    /// The revisions that are being sent to the client, or were sent over this connection.
    var sent = RecentRevisions()

    let writes = PendingWrites()

    /// The revisions that the client has written over this connection.
    var written = RecentRevisions()

    /// The client's pull, if there is one.
    var feed: ChangesFeed? {
        didSet {
            if feed == nil { pull.abandon() }
            pullBegan.notifyAll()
        }
    }

    /// The progress of this pull and of earlier pulls.
    var pull = PullProgress()

    /// Notified when a pull starts or is no longer awaited.
    let pullBegan = Condition()

    /// The name of the client's checkpoint, once known. It identifies the client across connections.
    var checkpoint: String?

    /// Whether this is the default collection and the client replicated it with the unified keyspace before it used collections. LiteCore
    /// reuses the name of the checkpoint.
    var past = UnifiedPast.none

    /// Documents whose edits were refused over this connection, until the server has looked for the blocking revisions.
    var contested: Set<ExactString> = []

    /// Documents whose rows the client could not read over this connection.
    private var unreadable: Set<ExactString> = []

    /// Contested documents that are being sent; each entry is removed once the client has them.
    var resent: [ResentDocuments] = []

    init(keyspace: Keyspace, index: Int?) {
        self.keyspace = keyspace
        self.index = index.map(String.init)
    }

    /// Whether the client could not read the last row of a document.
    func isUnreadable(_ id: String) -> Bool { unreadable.contains(ExactString(id)) }

    /// - Returns: Whether it was not recorded before, and the limit is not reached.
    func recordUnreadable(_ id: String, limit: Int) -> Bool {
        guard unreadable.count < limit else { return false }
        return unreadable.insert(ExactString(id)).inserted
    }

    /// The client has read rows of these documents.
    func forgetUnreadable(_ rows: [AnnouncedRow]) {
        guard !unreadable.isEmpty else { return }
        for row in rows { unreadable.remove(ExactString(row.id)) }
    }

    /// The first properties of a request about this collection.
    func properties() -> BLIPProperties {
        var properties = BLIPProperties()
        if let index { properties.add("collection", index) }
        return properties
    }
}

/// The progress of a client's pulls of a collection, as far as replies to its pushes depend on it.
struct PullProgress {
    /// Whether the client has a checkpoint on this server.
    var hasCheckpoint = false

    /// Whether a pull has caught up.
    private(set) var hasCaughtUp = false

    /// Whether the server waited for a pull that did not start in time, or the pull was broken off.
    private var isPullAbandoned = false

    /// The pull that has reached the end of the feed, and its position; `nil` before that.
    private(set) var reached: (request: SubChanges, position: FeedPosition)?

    /// Whether the client may lack every version that was announced here.
    var isFirst: Bool { !hasCheckpoint && !hasCaughtUp }

    /// Whether requests that depend on the client's pull keep waiting.
    var isAwaited: Bool { !hasCaughtUp && !isPullAbandoned }

    /// A pull starts, or the client ends it. Only ``hasCaughtUp`` remains of earlier pulls.
    mutating func reset() {
        reached = nil
    }

    /// A pull has read the feed to its end.
    mutating func reach(_ position: FeedPosition, with request: SubChanges) {
        reached = (request, position)
    }

    /// The caught-up message has been sent.
    mutating func catchUp() {
        hasCaughtUp = true
    }

    /// The client does not pull or has stopped: no request waits for its pull.
    mutating func abandon() {
        isPullAbandoned = true
    }
}
