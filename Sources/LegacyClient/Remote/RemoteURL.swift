import Foundation
import HTTP

/// The parts of a database's URL.
struct RemoteURL: Sendable, Hashable {
    /// As written by the application: the form used in checkpoint IDs.
    let text: String

    /// Without credentials, query and trailing slash.
    let base: String

    /// Scheme, host and port.
    let root: String
    let host: String

    /// Percent-encoded, with a leading slash.
    let path: String
    let isSecure: Bool

    /// The credentials in the URL, percent-decoded.
    let credentials: BasicCredentials?

    /// - Throws: ``ReplicationError`` with code `badURL`.
    init(_ text: String) throws(ReplicationError) {
        guard let url = WebURL(text, schemes: WebURL.http) else {
            throw ReplicationError(
                .badURL,
                "\(Self.withoutCredentials(text)) is not the URL of a database: http or https and a host are needed, and a port is at most 65535"
            )
        }
        let parts = url.parts
        var path = parts.percentEncodedPath
        while path.hasSuffix("/") { path.removeLast() }
        guard !path.isEmpty else {
            throw ReplicationError(.badURL, "\(Self.withoutCredentials(text)) names no database: its name has to follow the host")
        }
        self.text = text
        self.path = path
        (host, isSecure) = (url.host, url.isSecure)
        root = "\(url.scheme)://\(url.host)\(parts.port.map { ":\($0)" } ?? "")"
        base = root + path
        credentials = parts.user.flatMap { user in parts.password.map { BasicCredentials(user: user, password: $0) } }
    }

    /// The base URL for a WebSocket.
    var webSocketBase: String { "ws" + base.dropFirst(4) }

    private static func withoutCredentials(_ text: String) -> String {
        guard let at = text.lastIndex(of: "@"), let start = text.range(of: "://")?.upperBound, start < at else { return text }
        return String(text[..<start] + text[text.index(after: at)...])
    }
}
