/// What a received frame completed.
public enum BLIPEvent: Sendable, Equatable {
    /// A whole request of the peer's. Answer it with its number, unless it wants no reply.
    case request(BLIPMessage)

    /// A whole reply, or an error reply (``BLIPMessage/type`` tells), to the request of ours with the same number.
    case reply(BLIPMessage)

    /// The next part of a reply to a request that was sent with `streamsReply`. An error reply comes as ``reply(_:)`` nevertheless.
    case replyPart(BLIPReplyPart)
}
