package import Access
import Foundation
package import Gateway
package import HTTP

/// The other side of a replication.
package enum ReplicationTarget: Sendable {
    case server(RemoteAddress)
    /// A database in this process.
    case database(Database)

    /// The server's address; `nil` for a database in this process.
    package var server: RemoteAddress? {
        if case .server(let address) = self { address } else { nil }
    }

    /// Whether the target uses the 1.x protocol.
    package var isLegacy: Bool { server?.isLegacy == true }
}

extension ReplicationTarget: Hashable {
    package static func == (a: ReplicationTarget, b: ReplicationTarget) -> Bool {
        switch (a, b) {
        case (.server(let a), .server(let b)): a == b
        case (.database(let a), .database(let b)): a === b
        default: false
        }
    }

    package func hash(into hasher: inout Hasher) {
        switch self {
        case .server(let address): hasher.combine(address)
        case .database(let database): hasher.combine(ObjectIdentifier(database))
        }
    }
}

extension ReplicationTarget: CustomStringConvertible {
    /// The target without credentials.
    package var description: String {
        switch self {
        case .server(let address): address.description
        case .database(let database): database.name
        }
    }
}

/// The URL of the other side. The scheme selects the protocol: `http` and `https` for Couchbase Lite 1.x, `ws` and `wss` for 2.x+.
package struct RemoteAddress: Hashable, Sendable, CustomStringConvertible {
    /// The name and password from the URL.
    package struct Credentials: Hashable, Sendable {
        package let user: String
        package let password: Secret
    }

    /// The URL without credentials and without a trailing slash.
    package let url: String

    /// Whether the address uses the 1.x protocol.
    package let isLegacy: Bool
    package let credentials: Credentials?

    /// - Throws: ``ReplicationSetupError``, whose message contains no credentials.
    package init(_ text: String) throws(ReplicationSetupError) {
        guard text.utf8.count <= 8192, let scheme = URLComponents(string: text)?.scheme?.lowercased() else {
            throw ReplicationSetupError(.address, "the remote is not a URL; write a URL such as `wss://example.com:4984/shop`")
        }
        guard ["http", "https", "ws", "wss"].contains(scheme) else {
            throw ReplicationSetupError(
                .address,
                "a remote's URL cannot begin with `\(scheme):`; use `http` or `https` for 1.x servers, `ws` or `wss` for 2.x+ servers")
        }
        guard let url = WebURL(text, schemes: [scheme]) else {
            throw ReplicationSetupError(.address, "the remote's URL needs a host, and its port is 1 to 65535")
        }
        var parts = url.parts
        guard parts.query == nil, parts.fragment == nil else {
            throw ReplicationSetupError(.address, "the remote's URL has a query or a fragment, which servers do not accept there")
        }
        var path = parts.percentEncodedPath
        while path.hasSuffix("/") { path.removeLast() }
        guard !path.isEmpty else { throw ReplicationSetupError(.address, "the remote's URL names no database; add `/` and its name") }
        credentials = parts.user.map { Credentials(user: $0, password: Secret(parts.password ?? "")) }
        parts.user = nil
        parts.password = nil
        parts.percentEncodedPath = path
        guard let url = parts.string else { throw ReplicationSetupError(.address, "the remote is not a URL") }
        self.url = url
        isLegacy = scheme.hasPrefix("http")
    }

    /// The HTTP URL of the same database, which a 2.x+ server uses for login requests.
    package var overHTTP: RemoteAddress {
        get throws(ReplicationSetupError) {
            try RemoteAddress(isLegacy ? revealed : "http" + revealed.dropFirst("ws".count))
        }
    }

    /// The URL in Sync Gateway's format: with the user, and five `x` in place of the password.
    package var description: String {
        guard let credentials, var parts = URLComponents(string: url) else { return url }
        parts.user = credentials.user
        parts.password = "xxxxx"
        return parts.string ?? url
    }

    /// The URL with credentials, only for sending them to the server.
    package var revealed: String {
        guard let credentials, var parts = URLComponents(string: url) else { return url }
        parts.user = credentials.user
        parts.password = credentials.password.revealed
        return parts.string ?? url
    }
}

/// The HTTP proxy of a replication. Its URL may contain a password.
package struct ReplicationProxy: Hashable, Sendable {
    private let url: Secret

    /// - Parameter url: `http://host:port`, or `http://user:password@host:port`.
    /// - Throws: ``ReplicationSetupError``, whose message contains no credentials.
    package init(_ url: String) throws(ReplicationSetupError) {
        guard OutboundProxy(url) != nil else {
            throw ReplicationSetupError(.address, "a proxy is written as `http://host:port`, or `http://user:password@host:port`")
        }
        self.url = Secret(url)
    }

    package var address: OutboundProxy? { OutboundProxy(url.revealed) }
}
