import Foundation
import HTTP

/// The running server that a configuration was read from. The bridge replicates with it and sends first logins to it.
struct GatewayOrigin: Sendable {
    /// The admin port's address, without credentials.
    let admin: String

    /// The bridge's user name at the server; `nil` if the admin port requires no login.
    let user: String?

    /// The public port's address. Final after `read(interface:hasTLS:)` has applied the server's configuration.
    private(set) var publicURL: String

    /// The environment variable that holds the password.
    static let passwordVariable = "OLD_SERVER_PASSWORD"

    /// - Throws: ``GatewayImportError`` if the text is not the address of an admin port.
    init(_ text: String) throws(GatewayImportError) {
        guard var url = WebURL(text, schemes: WebURL.http)?.parts, url.path.isEmpty || url.path == "/", url.query == nil,
            url.fragment == nil
        else {
            throw GatewayImportError("`\(Self.shown(text))` is not the address of an admin port; write it like http://127.0.0.1:4985")
        }
        user = url.user
        (url.user, url.password, url.path) = (nil, nil, "")
        admin = url.string ?? text
        url.port = 4984
        publicURL = url.string ?? text
    }

    /// Whether the server runs on this machine, so that the bridge needs other ports.
    var isLocal: Bool {
        guard let host = WebURL(admin, schemes: WebURL.http)?.bareHost else { return false }
        return ListenAddress(host: host.lowercased(), port: 0).isLoopback
    }

    /// The bridge's port in place of a port that the server uses.
    static func port(beside port: Int) -> Int {
        port == 0 ? 0 : port <= 55_535 ? port + 10_000 : port - 10_000
    }

    /// The text without user and password.
    private static func shown(_ text: String) -> String {
        guard let at = text.lastIndex(of: "@") else { return text }
        return "…" + text[at...]
    }

    /// Sets the public port's address from the server's configuration. The host is that of the admin port unless the configuration has another one.
    mutating func read(interface: String?, hasTLS: Bool) {
        guard var url = URLComponents(string: publicURL) else { return }
        if let interface, let address = ListenAddress(interface) {
            url.port = address.port
            if !["0.0.0.0", "::"].contains(address.host), !address.isLoopback { url.host = address.host }
        }
        url.scheme = hasTLS ? "https" : "http"
        publicURL = url.string ?? publicURL
    }
}
