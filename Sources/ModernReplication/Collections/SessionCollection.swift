import BLIP
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

    /// Whether the client takes deltas. It may say so once.
    var takesDeltas = false

    /// The client's pull, if there is one.
    var feed: ChangesFeed?

    /// The pull that has come to its end, or goes on from there, and the place that it has reached; `nil` as long as it is on its way.
    var pulled: (request: SubChanges, position: FeedPosition)?

    /// Documents whose edits were refused, as long as the revisions in their way have not been looked for.
    var contested: Set<String> = []

    /// Whether a task hears of its commits. One does for all feeds that the client may begin and end.
    var isFollowed = false

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
