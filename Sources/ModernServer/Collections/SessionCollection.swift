import BLIP
import Documents
import Gateway
import ModernProtocol

/// One collection of a connection: its keyspace, and what is under way with it. Belongs to its session.
final class SessionCollection {
    let keyspace: Keyspace

    /// How messages name it; `nil` where they do not.
    let index: String?

    /// The revisions that wait to be written, and whether a task is writing.
    var inbox = RevisionInbox()
    var isWriting = false

    /// Revisions that came as deltas and wait to be made whole.
    var deltas: [IncomingDelta] = []

    /// Which deltas the client gets. It may say once that it takes them.
    var deltaUse = DeltaUse.none

    /// What a client that takes deltas was sent.
    var sent = SentRevisions()

    /// The client's pull, if there is one.
    var feed: ChangesFeed? {
        didSet {
            if feed == nil { pull.giveUp() }
            pullBegan.open()
        }
    }

    /// How far the client has come with this pull and those before.
    var pull = PullProgress()

    /// Open when a pull has begun, or is not waited for any more.
    let pullBegan = Gate()

    /// The name of the client's checkpoint, once it has told it: by this it is known again over another connection.
    var checkpoint: String?

    /// Whether it is the default collection, and the client has replicated that with the unified keyspace before it named collections: LiteCore keeps
    /// the name of the checkpoint.
    var wasUnified = false

    /// Documents whose edits were refused over this connection, as long as the revisions in their way have not been looked for.
    var contested: Set<ExactString> = []

    /// What is being sent of them, and is forgotten when the client has it.
    var shown: [ResentDocuments] = []

    init(keyspace: Keyspace, index: Int?) {
        self.keyspace = keyspace
        self.index = index.map(String.init)
    }

    /// The start of the properties of a request about this collection.
    func properties() -> BLIPProperties {
        var properties = BLIPProperties()
        if let index { properties.add("collection", index) }
        return properties
    }
}

/// How far a client has come with its pulls of a collection, as far as the answers to its pushes depend on it.
struct PullProgress {
    /// Whether the client has been here: there is a checkpoint of its.
    var hasCheckpoint = false

    /// Whether a pull has brought the client all that was here.
    private(set) var hasCaughtUp = false

    /// Whether the client was waited for to pull, and does not, or has broken off.
    private var isPullAbandoned = false

    /// The pull that has come to its end, or goes on from there, and the place that it has reached; `nil` as long as it is on its way.
    private(set) var reached: (request: SubChanges, position: FeedPosition)?

    /// Whether the client may have no version that was announced here.
    var isFirst: Bool { !hasCheckpoint && !hasCaughtUp }

    /// Whether what waits for the client to have all that is here goes on waiting.
    var isAwaited: Bool { !hasCaughtUp && !isPullAbandoned }

    /// A pull begins, or ends by the client's wish: of the one before nothing counts but that it has come to its end.
    mutating func leave() {
        reached = nil
    }

    /// A pull has read the feed to its end.
    mutating func reach(_ position: FeedPosition, with request: SubChanges) {
        reached = (request, position)
    }

    /// The client has been told that it has all.
    mutating func catchUp() {
        hasCaughtUp = true
    }

    /// The client does not pull, or no longer: nobody waits for it any more.
    mutating func giveUp() {
        isPullAbandoned = true
    }
}
