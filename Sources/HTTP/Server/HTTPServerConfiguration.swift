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

/// What the server allows a client, so that no client can hold on to more than its share.
public struct HTTPServerLimits: Sendable {
    /// The longest request head, request line and all fields, in bytes; longer ones are answered with 431.
    public var headSize = 64 * 1024
    /// The most header fields of a request; more are answered with 431.
    public var headFieldCount = 256
    /// The most connections at a time; further ones wait in the system's backlog.
    public var connections = 10_000
    /// How long a client may take from connecting, or from the first byte of a later request, to the end of the head; then 408.
    public var headTimeout: Duration = .seconds(20)
    /// How long a client may send nothing while its request body is awaited; then 408. Time in which the route does not read
    /// is not counted.
    public var bodyTimeout: Duration = .seconds(60)
    /// How long a connection is kept for another request.
    public var keepAliveTimeout: Duration = .seconds(120)
    /// How long a client may take nothing of what is sent to it; then the connection is dropped.
    public var writeTimeout: Duration = .seconds(120)
    /// How much of an unread request body is read past to keep a connection, in bytes; when more is left the connection is closed.
    public var discardedBodySize = 256 * 1024
    /// How long a closing connection waits for the client to read the last answer and to close on its side.
    public var lingerTimeout: Duration = .seconds(2)
    /// How long requests and WebSockets may go on after a shutdown has begun; then their tasks are cancelled and their connections dropped.
    public var shutdownTimeout: Duration = .seconds(6)

    public init() {}
}
