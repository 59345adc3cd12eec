package import HTTP

/// Where and how an ``HTTPServer`` serves.
package struct HTTPServerConfiguration: Sendable {
    /// The address or host name to listen at.
    package var host: String
    /// The port to listen at. With 0 the system chooses one; see ``HTTPServer/port()``.
    package var port: Int
    /// The descriptor of a listening socket to use instead of host and port. The server closes it.
    package var socket: Int32?
    /// The value of the `Server` header of every response. Clients select protocol features by it.
    package var serverName: String
    /// TLS, or nil for plain HTTP.
    package var tls: ReloadableTLS?
    /// Limits for clients.
    package var limits: HTTPServerLimits
    /// The account for the memory of clients' data.
    package var memory: MemoryAccount

    package init(
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

/// Limits for clients, so that no client can exhaust the server's resources.
package struct HTTPServerLimits: Sendable {
    /// The maximum size of a request head, including the request line and all fields, in bytes; longer ones are answered with 431.
    package var headSize = 64 * 1024
    /// The maximum number of header fields of a request; more are answered with 431.
    package var headFieldCount = 256
    /// The maximum number of concurrent connections; further ones wait in the system's backlog.
    package var connections = 10_000
    /// The maximum time from connecting, or from the first byte of a later request, to the end of the head; then 408.
    package var headTimeout: Duration = .seconds(20)
    /// The maximum time without data while a request body is expected; then 408. Time during which the route does not read is not counted.
    package var bodyTimeout: Duration = .seconds(60)
    /// How long an idle connection stays open for another request.
    package var keepAliveTimeout: Duration = .seconds(120)
    /// The maximum time during which a client accepts no data; then the connection is dropped.
    package var writeTimeout: Duration = .seconds(120)
    /// How much of an unread request body is discarded to reuse a connection, in bytes; with more left, the connection is closed.
    package var discardedBodySize = 256 * 1024
    /// How long a closing connection waits for the client to read the last response and to close its side.
    package var lingerTimeout: Duration = .seconds(2)
    /// How long requests and WebSockets may continue after a shutdown begins; then their tasks are cancelled and their connections dropped.
    package var shutdownTimeout: Duration = .seconds(6)

    package init() {}
}
