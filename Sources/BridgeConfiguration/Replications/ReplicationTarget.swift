package import Access
import Foundation
package import Gateway
package import HTTP

/// The other side of a replication.
package enum ReplicationTarget: Sendable {
    case server(RemoteAddress)
    /// A database in this process.
    case database(Database)

    /// Where it is; `nil` for a database in this process.
    package var server: RemoteAddress? {
        if case .server(let address) = self { address } else { nil }
    }

    /// Whether 1.x is spoken.
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
    /// Has no secret in it.
    package var description: String {
        switch self {
        case .server(let address): address.description
        case .database(let database): database.name
        }
    }
}

/// The other side's URL. Its scheme says which protocol is spoken: `http` and `https` that of Couchbase Lite 1.x, `ws` and `wss` that of 2.x+.
package struct RemoteAddress: Hashable, Sendable, CustomStringConvertible {
    /// A name and password that stood in the URL.
    package struct Credentials: Hashable, Sendable {
        package let user: String
        package let password: Secret
    }

    /// The URL without credentials and without a slash at its end.
    package let url: String

    /// Whether 1.x is spoken.
    package let isLegacy: Bool
    package let credentials: Credentials?

    /// - Throws: ``ReplicationSetupError``, whose message has no secret in it.
    package init(_ text: String) throws(ReplicationSetupError) {
        guard text.utf8.count <= 8192, let scheme = URLComponents(string: text)?.scheme?.lowercased() else {
            throw ReplicationSetupError(.address, "the remote is no URL; write one such as `wss://example.com:4984/shop`")
        }
        guard ["http", "https", "ws", "wss"].contains(scheme) else {
            throw ReplicationSetupError(
                .address, "`\(scheme):` is no remote; `http` and `https` speak to 1.x servers, `ws` and `wss` to 2.x+ servers")
        }
        guard let url = WebURL(text, schemes: [scheme]) else {
            throw ReplicationSetupError(.address, "the remote's URL needs a host, and its port is 1 to 65535")
        }
        var parts = url.parts
        guard parts.query == nil, parts.fragment == nil else {
            throw ReplicationSetupError(.address, "the remote's URL has a query or a fragment, which no server takes there")
        }
        var path = parts.percentEncodedPath
        while path.hasSuffix("/") { path.removeLast() }
        guard !path.isEmpty else { throw ReplicationSetupError(.address, "the remote's URL names no database; add `/` and its name") }
        credentials = parts.user.map { Credentials(user: $0, password: Secret(parts.password ?? "")) }
        parts.user = nil
        parts.password = nil
        parts.percentEncodedPath = path
        guard let url = parts.string else { throw ReplicationSetupError(.address, "the remote is no URL") }
        self.url = url
        isLegacy = scheme.hasPrefix("http")
    }

    /// The same database by HTTP, where a 2.x+ server answers questions about logins.
    package var overHTTP: RemoteAddress {
        get throws(ReplicationSetupError) {
            try RemoteAddress(isLegacy ? revealed : "http" + revealed.dropFirst("ws".count))
        }
    }

    /// As Sync Gateway shows it: with the user, and five letters in place of the password.
    package var description: String {
        guard let credentials, var parts = URLComponents(string: url) else { return url }
        parts.user = credentials.user
        parts.password = "xxxxx"
        return parts.string ?? url
    }

    /// With the credentials, for those who send them and nobody else.
    package var revealed: String {
        guard let credentials, var parts = URLComponents(string: url) else { return url }
        parts.user = credentials.user
        parts.password = credentials.password.revealed
        return parts.string ?? url
    }
}

/// The HTTP proxy through which a replication reaches its server, as somebody writes it: its URL may have a password.
package struct ReplicationProxy: Hashable, Sendable {
    private let url: Secret

    /// - Parameter url: `http://host:port`, or `http://user:password@host:port`.
    /// - Throws: ``ReplicationSetupError``, whose message has no secret in it.
    package init(_ url: String) throws(ReplicationSetupError) {
        guard OutboundProxy(url) != nil else {
            throw ReplicationSetupError(.address, "a proxy is written as `http://host:port`, or `http://user:password@host:port`")
        }
        self.url = Secret(url)
    }

    package var address: OutboundProxy? { OutboundProxy(url.revealed) }
}
