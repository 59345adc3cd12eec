public import HTTP
public import Logging
public import ModernProtocol

/// The other side of a replication: a ``URLEndpoint``, a ``DatabaseEndpoint`` or a ``MessageEndpoint``.
public protocol ReplicatorEndpoint: Sendable {
    /// By what checkpoints tell this endpoint from others. It stays the same for as long as the other side holds the same data.
    var identity: String { get throws }

    /// Whether deltas are worth their while on the way there. By default they are.
    var takesDeltas: Bool { get }

    /// Opens a connection.
    ///
    /// - Throws: ``ReplicatorError``, or `CancellationError`.
    func connect(_ options: ConnectionOptions) async throws -> ReplicatorConnection
}

extension ReplicatorEndpoint {
    public var takesDeltas: Bool { true }
}

/// An open connection to the other side.
public struct ReplicatorConnection: Sendable {
    public let socket: any MessageSocket
    public let subprotocol: Subprotocol

    /// The certificate, in DER, that the other side has shown.
    let serverCertificate: [UInt8]?

    /// The code with which the other side has closed; `nil` where the transport has none.
    let closeCode: @Sendable () async -> (code: Int, reason: String)?

    /// - Parameters:
    ///   - serverCertificate: The certificate, in DER, that the other side has shown.
    ///   - closeCode: What the other side said when it closed: a WebSocket close code and a reason.
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

/// How an endpoint is to be connected to.
public struct ConnectionOptions: Sendable {
    public var authenticator: (any Authenticator)?
    public var serverCertificatePolicy = ServerCertificatePolicy.system
    public var headers: [String: String] = [:]

    /// After how much silence a sign of life is asked for.
    public var heartbeat = Duration.seconds(300)
    public var networkInterface: String?
    public var proxy: OutboundProxy?

    /// The versions of the protocol that the other side may choose from, the best first.
    public var subprotocols: [Subprotocol] = [.v3, .v2, .v4]

    /// What the server has set on earlier connections.
    var cookies = ReplicatorCookies()
    public var logger: Logger

    /// The names of the cookies that the application speaks of itself.
    var cookieNames: Set<String> {
        let headers = headers.filter { $0.key.lowercased() == "cookie" }.map(\.value)
        let session = (authenticator as? SessionAuthenticator).map { [$0.cookieName] } ?? []
        return Set(CookieHeader(headers).cookies.map(\.name) + session)
    }

    public init(logger: Logger) {
        self.logger = logger
    }
}
