/// A whole message: a request, or the reply to one.
public struct BLIPMessage: Sendable, Equatable {
    /// What a message is.
    public enum MessageType: UInt8, Sendable {
        /// `MSG`: asks the other side for something.
        case request = 0
        /// `RPY`: the answer to a request.
        case reply = 1
        /// `ERR`: the answer to a request that failed.
        case error = 2
    }

    /// Whether it is a request, a reply or an error reply.
    public var type: MessageType

    /// A request's own number, or the number of the request that a reply answers. Requests yet to be sent have 0.
    public var number: UInt64

    /// The named strings that come before the body.
    public var properties: BLIPProperties

    /// The bytes that come after the properties.
    public var body: [UInt8]

    /// Whether its frames go before those of messages that are not urgent. A reply takes its request's urgency.
    public var isUrgent: Bool

    /// Whether a request wants no reply.
    public var noReply: Bool

    /// To send: whether its frames may be compressed. Received: whether its first frame was.
    public var isCompressed: Bool

    /// Creates a message.
    public init(
        type: MessageType, number: UInt64 = 0, properties: BLIPProperties = BLIPProperties(), body: [UInt8] = [],
        isUrgent: Bool = false, noReply: Bool = false, isCompressed: Bool = false,
    ) {
        self.type = type
        self.number = number
        self.properties = properties
        self.body = body
        self.isUrgent = isUrgent
        self.noReply = noReply
        self.isCompressed = isCompressed
    }
}
