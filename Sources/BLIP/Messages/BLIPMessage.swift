/// A whole message: a request, or the reply to one.
package struct BLIPMessage: Sendable, Equatable {
    /// What a message is.
    package enum MessageType: UInt8, Sendable {
        /// `MSG`: asks the other side for something.
        case request = 0
        /// `RPY`: the answer to a request.
        case reply = 1
        /// `ERR`: the answer to a request that failed.
        case error = 2
    }

    /// Whether it is a request, a reply or an error reply.
    package var type: MessageType

    /// A request's own number, or the number of the request that a reply answers. Requests yet to be sent have 0.
    package var number: UInt64

    /// The named strings that come before the body.
    package var properties: BLIPProperties

    /// The bytes that come after the properties.
    package var body: [UInt8]

    /// Whether its frames go before those of messages that are not urgent. A reply takes its request's urgency.
    package var isUrgent: Bool

    /// Whether a request wants no reply.
    package var noReply: Bool

    /// To send: whether its frames may be compressed. Received: whether its first frame was.
    package var isCompressed: Bool

    /// Creates a message.
    package init(
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

    /// What a request asks for: its `Profile` property.
    package var profile: String? {
        properties["Profile"]
    }

    /// A request for `profile`, which becomes the first of its properties.
    package static func request(
        _ profile: String, properties: BLIPProperties = BLIPProperties(), body: [UInt8] = [],
        isUrgent: Bool = false, noReply: Bool = false, isCompressed: Bool = false,
    ) -> BLIPMessage {
        var all = BLIPProperties(reservingCapacity: properties.encoded.count + profile.utf8.count + 9)
        all.add("Profile", profile)
        all.add(properties)
        return BLIPMessage(
            type: .request, properties: all, body: body, isUrgent: isUrgent, noReply: noReply, isCompressed: isCompressed)
    }

    /// The reply to the request with `number`.
    package static func reply(
        to number: UInt64, properties: BLIPProperties = BLIPProperties(), body: [UInt8] = [], isCompressed: Bool = false,
    ) -> BLIPMessage {
        BLIPMessage(type: .reply, number: number, properties: properties, body: body, isCompressed: isCompressed)
    }

    /// The reply to the request with `number`, saying that it failed.
    ///
    /// Peers understand the domain `HTTP` best; any domain that they don't know ends the replication of Couchbase Lite 3.1 and later
    /// (docs/protocol/modern-2x.md#error-replies). `BLIP` 404 means that nobody handles such requests.
    package static func error(to number: UInt64, domain: String = "HTTP", code: Int, message: String) -> BLIPMessage {
        var properties = BLIPProperties()
        properties.add("Error-Domain", domain)
        properties.add("Error-Code", String(code))
        return BLIPMessage(type: .error, number: number, properties: properties, body: Array(message.utf8))
    }

    /// The domain of an error reply's code. A reply that names none means `BLIP`. `nil` if this is no error reply.
    package var errorDomain: String? {
        type == .error ? properties["Error-Domain"] ?? "BLIP" : nil
    }

    /// An error reply's code, 0 if it has none that is a number of 32 bits, as LiteCore's codes are. `nil` if this is no error reply.
    package var errorCode: Int? {
        guard type == .error else { return nil }
        return properties.integer("Error-Code").flatMap { Int32(exactly: $0) }.map { Int($0) } ?? 0
    }

    /// The text of an error reply. `nil` if this is no error reply.
    package var errorMessage: String? {
        type == .error ? String(decoding: body, as: UTF8.self) : nil
    }
}
