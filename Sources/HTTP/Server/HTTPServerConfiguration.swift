/// Where and how an ``HTTPServer`` serves.
public struct HTTPServerConfiguration: Sendable {
    /// The address or host name to listen at.
    public var host: String
    /// The port to listen at; 0 lets the system choose one, which ``HTTPServer/port()`` tells.
    public var port: Int
    /// The descriptor of a socket that listens already, and is used in place of host and port. The server closes it.
    public var socket: Int32?
    /// The value of the `Server` header of every answer: clients choose their protocol features by it.
    public var serverName: String
    /// TLS, or nil for plain HTTP.
    public var tls: ReloadableTLS?
    /// What the server allows a client.
    public var limits: HTTPServerLimits
    /// On what clients' data draws.
    public var memory: MemoryAccount

    public init(
        host: String = "127.0.0.1", port: Int, socket: Int32? = nil, serverName: String, tls: ReloadableTLS? = nil,
        limits: HTTPServerLimits = .init(),
        memory: MemoryAccount = MemoryAccount()
    ) {
        self.host = host
        self.port = port
        self.socket = socket
        self.serverName = serverName
        self.tls = tls
        self.limits = limits
        self.memory = memory
    }
}
