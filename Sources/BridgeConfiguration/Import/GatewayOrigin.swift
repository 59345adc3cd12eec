import Foundation
import HTTP

/// The running server that a configuration was read from, which the bridge replicates with and sends first logins to.
struct GatewayOrigin: Sendable {
    /// The admin port's address, without credentials.
    let admin: String

    /// Who the bridge is there; `nil` where nobody is asked.
    let user: String?

    /// The public port's address, once the server's configuration has been read.
    private(set) var publicURL: String

    /// The variable of the environment that has to hold the password.
    static let passwordVariable = "OLD_SERVER_PASSWORD"

    /// - Throws: ``GatewayImportError`` if it is no address of an admin port.
    init(_ text: String) throws(GatewayImportError) {
        guard var url = WebURL(text, schemes: WebURL.http)?.parts, url.path.isEmpty || url.path == "/", url.query == nil,
            url.fragment == nil
        else {
            throw GatewayImportError("`\(Self.shown(text))` is no address of an admin port; write it like http://127.0.0.1:4985")
        }
        user = url.user
        (url.user, url.password, url.path) = (nil, nil, "")
        admin = url.string ?? text
        url.port = 4984
        publicURL = url.string ?? text
    }

    /// Whether the server runs on this machine, where the bridge cannot listen at the same ports.
    var isHere: Bool {
        guard let host = WebURL(admin, schemes: WebURL.http)?.bareHost else { return false }
        return ListenAddress(host: host.lowercased(), port: 0).isLoopback
    }

    /// A port for the bridge in place of one that the server has.
    static func port(beside port: Int) -> Int {
        port == 0 ? 0 : port <= 55_535 ? port + 10_000 : port - 10_000
    }

    /// Without a password.
    private static func shown(_ text: String) -> String {
        guard let at = text.lastIndex(of: "@") else { return text }
        return "…" + text[at...]
    }

    /// Takes the public port's address from the server's configuration: its host is that of the admin port, unless it says another one.
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
