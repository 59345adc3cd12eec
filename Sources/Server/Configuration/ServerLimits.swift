/// Bounds on what clients may ask of the ports, all databases together.
public struct ServerLimits: Hashable, Sendable {
    /// A 1.x client's JSON body, in bytes, decompressed; more is 413.
    public var requestSize = 64 << 20

    /// Documents in one `_bulk_docs`, `_bulk_get`, `_revs_diff` or list of keys; more is 413.
    public var documents = 20_000

    /// Longpoll, continuous, eventsource and WebSocket feeds that one user may have open at a time; more is 429, or 503 for Couchbase Lite.
    public var openFeeds = 1_000

    /// Requests a second that one user may send; more is 429, or 503 for Couchbase Lite. `nil` for any number.
    public var requestRate: Int?

    /// Connections to one port at a time; further ones wait.
    public var connections = 10_000

    /// Bytes of all clients' data in memory at a time: bodies of requests, unfinished messages, what waits to be written or sent. Of what is more, the client with most
    /// gives way: 503, or its connection is dropped. By default a quarter of what the machine or the container has, and enough for one of the largest
    /// requests.
    public var memory = max(MachineMemory.size / 4, 160 << 20)

    public init() {}
}

extension ServerLimits {
    init(_ node: ConfigurationNode) throws {
        self.init()
        let members = try node.members(["requestSize", "documents", "openFeeds", "requestRate", "connections", "memory"])
        members["requestSize"]?.read { requestSize = try $0.size(in: 1024...(1 << 30)) }
        members["documents"]?.read { documents = try $0.int(in: 1...1_000_000) }
        members["openFeeds"]?.read { openFeeds = try $0.int(in: 1...1_000_000) }
        members["requestRate"]?.read { requestRate = try $0.int(in: 1...1_000_000) }
        members["memory"]?.read { memory = try $0.size(in: (16 << 20)...(1 << 46)) }
        members["connections"]?.read { connections = try $0.int(in: 1...1_000_000) }
    }
}
