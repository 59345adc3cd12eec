import BLIP
import Documents
import ModernProtocol

/// The purpose of a request of this session whose reply is outstanding.
enum AwaitedAnswer {
    /// `changes`: the reply lists the revisions that the client wants.
    case changes(AnnouncedChanges)
    /// A `rev` with attachments, or one that a feed needs confirmed: the reply states that the client has all of it.
    case revision(UnansweredRevision)
    /// A `rev` with a delta: the reply accepts the delta or requests the whole revision.
    case delta(SentDelta)
    /// A task waits for the reply.
    case inbox(ReplyInbox)
}

extension AwaitedAnswer {
    /// The pull to which the request belongs.
    var feed: ChangesFeed? {
        switch self {
        case .changes(let announced): announced.feed
        case .revision(let sent): sent.feed
        case .delta(let sent): sent.wanted.feed
        case .inbox: nil
        }
    }

    /// Whether the client may still receive or request a revision of one of these documents.
    func concerns(_ ids: Set<ExactString>, in handle: CollectionHandle) -> Bool {
        switch self {
        case .changes(let announced):
            announced.collection == handle && announced.rows.contains { !$0.isDeparture && ids.contains(ExactString($0.id)) }
        case .revision(let sent): sent.collection == handle && ids.contains(ExactString(sent.id))
        case .delta(let sent): sent.wanted.collection == handle && sent.wanted.concerns(ids)
        case .inbox: false
        }
    }
}

/// A revision that was sent whole, and whose reply states that the client has stored it.
struct UnansweredRevision {
    let collection: CollectionHandle
    let id: String
    let feed: ChangesFeed

    /// Whether the pull waits for this confirmation before it is complete.
    let isConfirmed: Bool
}

/// A revision that was sent as a delta, with the data to send it whole.
struct SentDelta {
    /// The revision alone.
    let wanted: WantedRevisions

    /// Whether the pull waits for this confirmation before it is complete.
    let isConfirmed: Bool
}
