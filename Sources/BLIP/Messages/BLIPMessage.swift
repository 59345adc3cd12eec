/// A complete message: a request, or a reply to one.
package struct BLIPMessage: Sendable, Equatable {
    /// The type of a message.
    package enum MessageType: UInt8, Sendable {
        /// `MSG`: a request to the other side.
        case request = 0
        /// `RPY`: the reply to a request.
        case reply = 1
        /// `ERR`: the reply to a request that failed.
        case error = 2
    }

    /// Whether it is a request, a reply or an error reply.
    package var type: MessageType

    /// A request's own number, or the number of the request that a reply belongs to. Unsent requests have 0.
    package var number: UInt64

    /// The properties before the body.
    package var properties: BLIPProperties

    /// The bytes after the properties.
    package var body: [UInt8]

    /// Whether its frames have priority over those of messages that are not urgent. A reply has its request's urgency.
    package var isUrgent: Bool

    /// Whether a request wants no reply.
    package var noReply: Bool

    /// In a message to send: whether its frames may be compressed. In a received message: whether its first frame was compressed.
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

    /// The `Profile` property, which determines the kind of request.
    package var profile: String? {
        properties["Profile"]
    }

    /// Creates a request with `profile` as its first property.
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

    /// Creates the reply to the request with `number`.
    package static func reply(
        to number: UInt64, properties: BLIPProperties = BLIPProperties(), body: [UInt8] = [], isCompressed: Bool = false,
    ) -> BLIPMessage {
        BLIPMessage(type: .reply, number: number, properties: properties, body: body, isCompressed: isCompressed)
    }

    /// Creates the error reply to the request with `number`.
    ///
    /// Peers support the domain `HTTP` best. An unknown domain ends the replication of Couchbase Lite 3.1 and later
    /// (docs/protocol/modern-2x.md#error-replies). `BLIP` 404 means that the receiver has no handler for the request.
    package static func error(to number: UInt64, domain: String = "HTTP", code: Int, message: String) -> BLIPMessage {
        var properties = BLIPProperties()
        properties.add("Error-Domain", domain)
        properties.add("Error-Code", String(code))
        return BLIPMessage(type: .error, number: number, properties: properties, body: Array(message.utf8))
    }

    /// The domain of an error reply's code, by default `BLIP`. `nil` if this is not an error reply.
    package var errorDomain: String? {
        type == .error ? properties["Error-Domain"] ?? "BLIP" : nil
    }

    /// An error reply's code; 0 if it has none that fits 32 bits, the size of LiteCore's codes. `nil` if this is not an error reply.
    package var errorCode: Int? {
        guard type == .error else { return nil }
        return properties.integer("Error-Code").flatMap { Int32(exactly: $0) }.map { Int($0) } ?? 0
    }

    /// The text of an error reply. `nil` if this is not an error reply.
    package var errorMessage: String? {
        type == .error ? String(decoding: body, as: UTF8.self) : nil
    }
}
