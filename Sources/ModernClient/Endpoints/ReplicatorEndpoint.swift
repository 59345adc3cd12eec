public import HTTP
public import Logging
public import ModernProtocol

/// The remote end of a replication: a ``URLEndpoint``, a ``DatabaseEndpoint`` or a ``MessageEndpoint``.
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
    public var takesDeltas: Bool { true }
}

/// An open connection to an endpoint.
public struct ReplicatorConnection: Sendable {
    public let socket: any MessageSocket
    public let subprotocol: Subprotocol

    /// The endpoint's certificate, in DER.
    let serverCertificate: [UInt8]?

    /// The close code and reason of the endpoint; `nil` if the transport has none.
    let closeCode: @Sendable () async -> (code: Int, reason: String)?

    /// - Parameters:
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
    public var authenticator: (any Authenticator)?
    public var serverCertificatePolicy = ServerCertificatePolicy.system
    public var headers: [String: String] = [:]

    /// The time without traffic before a WebSocket ping is sent.
    public var heartbeat = Duration.seconds(300)
    public var networkInterface: String?
    public var proxy: OutboundProxy?

    /// The protocol versions to offer, the preferred one first.
    public var subprotocols: [Subprotocol] = [.v3, .v2, .v4]

    /// The cookies that the server has set on earlier connections.
    var cookies = ReplicatorCookies()
    public var logger: Logger

    /// The names of the cookies that the application sets itself.
    var cookieNames: Set<String> {
        let headers = headers.filter { $0.key.lowercased() == "cookie" }.map(\.value)
        let session = (authenticator as? SessionAuthenticator).map { [$0.cookieName] } ?? []
        return Set(CookieHeader(headers).cookies.map(\.name) + session)
    }

    public init(logger: Logger) {
        self.logger = logger
    }
}
