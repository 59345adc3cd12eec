import BLIP
import Documents
import ModernProtocol

/// What becomes of the reply to a request of ours.
enum AwaitedAnswer {
    /// To `changes`: it says which revisions the client wants.
    case changes(AnnouncedChanges)
    /// To a `rev` with attachments, or one that has to be confirmed to a feed: the client has it all.
    case revision(UnansweredRevision)
    /// To a `rev` with a delta: the client has it, or wants it whole.
    case delta(SentDelta)
    /// A task waits for it.
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

    /// Whether the client may be getting a revision of one of these documents, or may ask for one.
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

/// A revision that was sent whole, and that the client answers once it has stored it.
struct UnansweredRevision {
    let collection: CollectionHandle
    let id: String
    let feed: ChangesFeed

    /// Whether the pull is not at its end before the client has it.
    let isConfirmed: Bool
}

/// A revision that was sent as a delta, and what it takes to send it whole.
struct SentDelta {
    /// The revision alone.
    let wanted: WantedRevisions

    /// Whether the pull is not at its end before the client has it.
    let isConfirmed: Bool
}
