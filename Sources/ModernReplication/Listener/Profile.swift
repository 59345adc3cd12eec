/// What a client may ask for: the `Profile` of its requests.
public enum Profile: String, CaseIterable, Sendable {
    case getCollections
    case getCheckpoint
    case setCheckpoint
    case subChanges
    case unsubChanges
    case changes
    case proposeChanges
    case rev
    case norev
    case getAttachment
    case proveAttachment
    /// A sign of life, which Couchbase Lite for JavaScript asks for: a browser sends no WebSocket pings.
    case ping = "PING"
}
