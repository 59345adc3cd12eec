/// What becomes of the reply to a request of a replicator's.
enum AwaitedReply {
    /// To `proposeChanges`.
    case proposals([LocalChange], collection: Int)
    /// To `rev`.
    case revision(LocalChange, collection: Int, size: Int)
    /// To the `getCheckpoint` that nothing waits for, because there is no checkpoint here to compare with.
    case checkpoint(collection: Int)
    /// To `subChanges`.
    case subscription
    /// A task waits for it.
    case inbox(ReplyInbox)
}
