import BLIP
import Documents
import Gateway

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
    var shown: [ShownDocuments] = []

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
