import Foundation
import HTTP
import HTTPTypes

/// A server: Sync Gateway, App Services, a Couchbase Lite listener, or one of ours.
public struct URLEndpoint: ReplicatorEndpoint, Hashable {
    /// Redirections are followed so often.
    private static let maximumRedirects = 10

    /// `ws://host:port/database` or `wss://…`.
    public let url: String

    public init(url: String) {
        self.url = url
    }

    /// The URL of the connection, with its port, as LiteCore names checkpoints by it.
    public var identity: String {
        get throws {
            guard var parts = URLComponents(string: url), let scheme = parts.scheme?.lowercased(), scheme == "ws" || scheme == "wss",
                parts.host?.isEmpty == false
            else { throw ReplicatorError(.invalidURL, "\(url) is not a ws: or wss: URL with a host") }
            var path = parts.percentEncodedPath
            while path.hasSuffix("/") { path.removeLast() }
            guard !path.isEmpty else { throw ReplicatorError(.invalidURL, "\(url) names no database") }
            parts.scheme = scheme
            parts.port = parts.port ?? (scheme == "wss" ? 443 : 80)
            parts.user = nil
            parts.password = nil
            parts.percentEncodedPath = path + "/_blipsync"
            guard let text = parts.string else { throw ReplicatorError(.invalidURL, "\(url) is not a URL") }
            return text
        }
    }

    public func connect(_ options: ConnectionOptions) async throws -> ReplicatorConnection {
        var target = try identity
        var request = try WebSocketClient.Options(options)
        for _ in 0...Self.maximumRedirects {
            do {
                let (socket, _) = try await WebSocketClient.connect(to: target, options: request)
                guard let subprotocol = socket.subprotocol.flatMap(Subprotocol.init(rawValue:)) else {
                    await socket.close(code: .protocolError, reason: "")
                    throw ReplicatorError(.webSocketProtocolError, "\(target) chose no protocol that this replicator speaks")
                }
                return ReplicatorConnection(socket: WebSocketMessages(socket), subprotocol: subprotocol) {
                    socket.closure.map { (Int($0.code.rawValue), $0.reason) }
                }
            } catch let refusal as WebSocketRefusal where [301, 302, 307].contains(refusal.response.status.code) {
                let next = try Self.redirected(refusal, from: target)
                if Self.host(of: next) != Self.host(of: target) {
                    // Another host is told no secrets.
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
        throw ReplicatorError(.tooManyRedirects, "\(url) redirects more than \(Self.maximumRedirects) times")
    }

    private static func redirected(_ refusal: WebSocketRefusal, from url: String) throws -> String {
        guard let location = refusal.response.headerFields[.location], let base = URL(string: url),
            var parts = URL(string: location, relativeTo: base).flatMap({ URLComponents(url: $0, resolvingAgainstBaseURL: true) })
        else { throw ReplicatorError(.invalidRedirect, "\(url) redirects to nowhere") }
        switch parts.scheme?.lowercased() {
        case "http": parts.scheme = "ws"
        case "https": parts.scheme = "wss"
        case "ws", "wss": break
        default: throw ReplicatorError(.invalidRedirect, "\(url) redirects to \(location), which is no web address")
        }
        guard let text = parts.string else { throw ReplicatorError(.invalidRedirect, "\(url) redirects to \(location)") }
        return text
    }

    private static func host(of url: String) -> String? {
        URLComponents(string: url)?.host?.lowercased()
    }
}
