/// What becomes of the reply to a request of ours.
enum AwaitedAnswer {
    /// To `changes`: it says which revisions the client wants.
    case changes(AnnouncedChanges)
    /// To a `rev` with attachments, or one that has to be confirmed to a feed: the client has it all.
    case revision(ChangesFeed?)
    /// To a `rev` with a delta: the client has it, or wants it whole.
    case delta(SentDelta)
    /// A task waits for it.
    case inbox(ReplyInbox)
}
