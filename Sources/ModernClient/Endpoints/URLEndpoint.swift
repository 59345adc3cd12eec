import Foundation
import HTTP
import HTTPTypes
import ModernProtocol
import NIOSSL

/// A server: Sync Gateway, App Services, a Couchbase Lite listener, or a Dualgauge bridge.
public struct URLEndpoint: ReplicatorEndpoint, Hashable {
    /// `ws://host:port/database` or `wss://…`.
    public let url: String

    /// Creates an endpoint. The URL is checked when a ``Replicator`` is created.
    public init(url: String) {
        self.url = url
    }

    /// The URL of the connection, with its port, in the form that LiteCore uses for checkpoints.
    ///
    /// - Throws: ``ReplicatorError`` with code `invalidURL`.
    public var identity: String {
        get throws {
            guard let webURL = WebURL(url, schemes: WebURL.webSocket) else {
                throw ReplicatorError(.invalidURL, "\(url) is not a ws: or wss: URL with a host, and a port up to 65535")
            }
            var parts = webURL.parts
            var path = parts.percentEncodedPath
            while path.hasSuffix("/") { path.removeLast() }
            guard !path.isEmpty else { throw ReplicatorError(.invalidURL, "\(url) names no database") }
            parts.port = webURL.port
            parts.user = nil
            parts.password = nil
            parts.percentEncodedPath = path + "/_blipsync"
            guard let text = parts.string else { throw ReplicatorError(.invalidURL, "\(url) is not a URL") }
            return text
        }
    }

    /// Opens a WebSocket. Redirections are followed; credentials are sent to the first host only.
    ///
    /// - Throws: ``ReplicatorError``, or `CancellationError`.
    public func connect(_ options: ConnectionOptions) async throws -> ReplicatorConnection {
        let origin = try identity
        var target = origin
        var options = options
        options.authenticator = options.authenticator ?? credentials
        var request = try WebSocketClient.Options(options)
        let given = request.headers[.cookie]
        request.headers[.cookie] = options.cookies.header(given, for: origin)
        for _ in 0...Redirection.maximum {
            do {
                let opened = try await WebSocketClient.connect(to: target, options: request)
                let (socket, response) = (opened.connection, opened.response)
                if Self.host(of: target) == Self.host(of: origin) { options.cookies.store(response) }
                guard let subprotocol = socket.subprotocol.flatMap(Subprotocol.init(rawValue:)) else {
                    await socket.close(code: .protocolError, reason: "")
                    throw ReplicatorError(.webSocketProtocolError, "\(target) chose no protocol of this replicator")
                }
                return ReplicatorConnection(
                    socket: WebSocketMessages(socket, of: .replicator), subprotocol: subprotocol, serverCertificate: opened.certificate
                ) {
                    socket.closure.map { (Int($0.code.rawValue), $0.reason) }
                }
            } catch let refusal as WebSocketRefusal
                where refusal.response.status.code == 401 && target == origin && request.headers[.cookie] != given
            {
                // The session that the server set may have ended; use the application's cookies again.
                options.cookies.forget()
                request.headers[.cookie] = given
            } catch let refusal as WebSocketRefusal where [301, 302, 307].contains(refusal.response.status.code) {
                let next = try Self.redirected(refusal, from: target)
                if Self.host(of: next) != Self.host(of: target) {
                    // Another host must not receive the credentials.
                    request.headers[.authorization] = nil
                    request.headers[.cookie] = nil
                }
                target = next
            } catch let error as CancellationError {
                throw error
            } catch {
                throw ReplicatorError(connecting: error, to: target)
            }
        }
        throw ReplicatorError(.tooManyRedirects, "\(url) redirects more than \(Redirection.maximum) times")
    }

    /// The user name and password in the URL, used if the configuration has no authenticator.
    private var credentials: BasicAuthenticator? {
        guard let parts = URLComponents(string: url), let user = parts.user else { return nil }
        return BasicAuthenticator(username: user, password: parts.password ?? "")
    }

    /// The owner of the server's cookies: its host, as in Couchbase Lite, and the user, so that no user continues another user's session.
    func cookieOwner(_ authenticator: (any Authenticator)?) -> String? {
        guard let host = Self.host(of: url) else { return nil }
        guard let user = (authenticator as? BasicAuthenticator ?? credentials)?.username else { return host }
        return "\(user)@\(host)"
    }

    private static func redirected(_ refusal: WebSocketRefusal, from url: String) throws -> String {
        let response = refusal.response
        guard let location = response.headerFields[.location] else {
            throw ReplicatorError(.invalidRedirect, "\(url) redirects without an address")
        }
        guard
            let redirection = Redirection(
                status: response.status.code, location: location, from: url, schemes: WebURL.http.union(WebURL.webSocket))
        else { throw ReplicatorError(.invalidRedirect, "\(url) redirects to \(location), an address that must not be followed") }
        // Proxies send redirections with HTTP schemes.
        return redirection.url.hasPrefix("http") ? "ws" + redirection.url.dropFirst(4) : redirection.url
    }

    private static func host(of url: String) -> String? {
        URLComponents(string: url)?.host?.lowercased()
    }
}

extension WebSocketClient.Options {
    /// The options of the upgrade request, as Couchbase Lite sends it (docs/protocol/modern-2x.md#upgrade-request).
    init(_ options: ConnectionOptions) throws {
        self.init()
        subprotocols = options.subprotocols.map(\.rawValue)
        localInterface = options.networkInterface
        proxy = options.proxy
        limits.pingInterval = options.heartbeat
        limits.pingTimeout = min(.seconds(20), max(options.heartbeat - .seconds(1), .seconds(1)))
        headers[.userAgent] = "CouchbaseLite/3.2 (Dualgauge)"
        for (name, value) in options.headers {
            guard let field = HTTPField.Name(name) else {
                throw ReplicatorError(.invalidParameter, "\(name) is not the name of a header")
            }
            headers[field] = value
        }
        switch options.authenticator {
        case let basic as BasicAuthenticator:
            headers[.authorization] = BasicCredentials(user: basic.username, password: basic.password).authorization
        case let session as SessionAuthenticator:
            headers[.cookie] = "\(session.cookieName)=\(session.sessionID)"
        case let certificate as ClientCertificateAuthenticator:
            tls.identity = try Self.identity(certificate)
        default: break
        }
        switch options.serverCertificatePolicy {
        case .system: tls.trust = .systemRoots
        case .selfSignedOnly: tls.trust = .selfSignedOnly
        case .pinned(let bytes): tls.trust = .pinned(try Self.certificates(bytes, "the pinned certificate")[0])
        }
    }

    private static func identity(_ authenticator: ClientCertificateAuthenticator) throws -> ClientTLS.Identity {
        let chain = try certificates(authenticator.certificateChain, "the client certificate")
        do {
            return ClientTLS.Identity(certificates: chain, key: try NIOSSLPrivateKey(bytes: authenticator.privateKey, format: .pem))
        } catch {
            throw ReplicatorError(.crypto, "The private key of the client certificate cannot be read; it has to be in PEM", cause: error)
        }
    }

    /// Parses certificates in PEM, or one certificate in DER.
    private static func certificates(_ bytes: [UInt8], _ what: String) throws -> [NIOSSLCertificate] {
        do {
            return try ClientTLS.certificates(bytes)
        } catch {
            throw ReplicatorError(.crypto, "\(what) cannot be read; it has to be in PEM or DER", cause: error)
        }
    }
}
