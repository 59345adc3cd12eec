/// A request of ours whose reply has not come, or not come whole.
struct AwaitedReply {
    /// Whether the host takes the body in parts.
    let isStreamed: Bool

    /// Whether the host has lost interest.
    var isDiscarded = false

    /// What has come of the reply.
    var message: IncomingMessage?

    /// Bytes given to the host that it has not given back.
    var unconsumedBytes = 0

    /// Whether the reply has come whole, and only bytes to be given back keep this entry.
    var isComplete = false

    init(isStreamed: Bool) {
        self.isStreamed = isStreamed
    }
}
