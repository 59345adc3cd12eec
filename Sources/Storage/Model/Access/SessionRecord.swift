/// A login that lasts. Times are milliseconds since 1970.
public struct SessionRecord: Hashable, Sendable {
    /// The hash of the session's ID: the ID itself is not kept.
    public let key: [UInt8]

    public let user: String

    /// The user's generation of sessions when it began.
    public let generation: Int64

    public let created: Int64
    public var expires: Int64

    /// How long it lasts from its last renewal on, in milliseconds; 0 for one that is never renewed.
    public let timeToLive: Int64

    public init(key: [UInt8], user: String, generation: Int64, created: Int64, expires: Int64, timeToLive: Int64) {
        self.key = key
        self.user = user
        self.generation = generation
        self.created = created
        self.expires = expires
        self.timeToLive = timeToLive
    }
}
