public import HTTP
public import Logging
public import ModernProtocol

/// The remote end of a replication: a ``URLEndpoint``, or a transport of the app.
public protocol ReplicatorEndpoint: Sendable {
    /// Identifies the endpoint in checkpoints. It is stable as long as the endpoint holds the same data.
    var identity: String { get throws }

    /// Whether deltas are useful with this endpoint. True by default.
    var takesDeltas: Bool { get }

    /// Opens a connection.
    ///
    /// - Throws: ``ReplicatorError``, or `CancellationError`.
    func connect(_ options: ConnectionOptions) async throws -> ReplicatorConnection
}

extension ReplicatorEndpoint {
    /// True: deltas are useful.
    public var takesDeltas: Bool { true }
}

/// An open connection to an endpoint.
public struct ReplicatorConnection: Sendable {
    /// Transfers the messages.
    public let socket: any MessageSocket

    /// The protocol version that both sides have agreed on.
    public let subprotocol: Subprotocol

    /// The endpoint's certificate, in DER.
    let serverCertificate: [UInt8]?

    /// The close code and reason of the endpoint; `nil` if the transport has none.
    let closeCode: @Sendable () async -> (code: Int, reason: String)?

    /// Creates a connection.
    ///
    /// - Parameters:
    ///   - socket: Transfers the messages. The replicator closes it.
    ///   - subprotocol: The protocol version that both sides have agreed on.
    ///   - serverCertificate: The endpoint's certificate, in DER.
    ///   - closeCode: Returns the WebSocket close code and reason that the endpoint sent.
    public init(
        socket: any MessageSocket, subprotocol: Subprotocol, serverCertificate: [UInt8]? = nil,
        closeCode: @escaping @Sendable () async -> (code: Int, reason: String)? = { nil }
    ) {
        self.socket = socket
        self.subprotocol = subprotocol
        self.serverCertificate = serverCertificate
        self.closeCode = closeCode
    }
}

/// The options for a connection to an endpoint.
public struct ConnectionOptions: Sendable {
    /// The replicator's credentials.
    public var authenticator: (any Authenticator)?

    /// The trust policy for the server of a TLS connection.
    public var serverCertificatePolicy = ServerCertificatePolicy.system

    /// Additional headers of the request that opens the connection.
    public var headers: [String: String] = [:]

    /// The time without traffic before a WebSocket ping is sent.
    public var heartbeat = Duration.seconds(300)

    /// The network interface, by name or address, to connect from; `nil` for any.
    public var networkInterface: String?

    /// The HTTP proxy; `nil` for a direct connection.
    public var proxy: OutboundProxy?

    /// The protocol versions to offer, the preferred one first.
    public var subprotocols: [Subprotocol] = [.v3, .v2, .v4]

    /// The cookies that the server has set on earlier connections.
    var cookies = ReplicatorCookies()

    /// Receives the messages of the connection.
    public var logger: Logger

    /// The names of the cookies that the application sets itself.
    var cookieNames: Set<String> {
        let headers = headers.filter { $0.key.lowercased() == "cookie" }.map(\.value)
        let session = (authenticator as? SessionAuthenticator).map { [$0.cookieName] } ?? []
        return Set(CookieHeader(headers).cookies.map(\.name) + session)
    }

    /// Creates the default options.
    public init(logger: Logger) {
        self.logger = logger
    }
}
