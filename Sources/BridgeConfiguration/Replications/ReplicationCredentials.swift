package import Access
import Foundation
import Yams

/// The credentials of a replication.
package enum ReplicationCredentials: Hashable, Sendable {
    case basic(user: String, password: Secret)
    /// A session of the server.
    case session(id: Secret, cookieName: String)
    /// A Facebook access token; 1.x.
    case facebook(token: Secret)
    /// A Persona assertion; 1.x.
    case persona(assertion: Secret)
    case cookie(RemoteCookie)
    /// A certificate with its chain, in PEM or DER, and its key in PEM.
    case clientCertificate(chain: [UInt8], key: Secret)

    package static let defaultCookieName = "SyncGatewaySession"

    var isForModern: Bool {
        switch self {
        case .facebook, .persona: false
        case .basic, .session, .cookie, .clientCertificate: true
        }
    }
}

/// A configured cookie that is sent to the server.
package struct RemoteCookie: Hashable, Sendable {
    package var name: String
    package var value: Secret

    /// The path prefix of requests that carry the cookie; `nil` for all requests.
    package var path: String?

    /// The expiry in seconds since 1970; `nil` for the lifetime of the replication.
    package var expires: Int64?

    /// Whether the cookie is sent over TLS only.
    package var isSecure = false
    package var isHTTPOnly = false

    package init(name: String, value: Secret) {
        self.name = name
        self.value = value
    }
}

extension ReplicationCredentials {
    /// Reads a replication's `auth`.
    init(_ node: ConfigurationNode, folder: URL) throws {
        let ways = try node.members(["basic", "session", "facebook", "persona", "cookie", "clientCertificate"])
        guard ways.count == 1, let (way, value) = ways.first else {
            throw node.error(.badValue, "`auth` has one of `basic`, `session`, `facebook`, `persona`, `cookie`, `clientCertificate`")
        }
        switch way {
        case "basic":
            let members = try value.members(["user", "password"])
            let user = members["user"]?.read { node in
                let user = try node.nonEmptyText()
                guard !user.contains(":") else { throw node.error(.badValue, "a user's name has no colon") }
                return user
            }
            let required = try value.required(["user", "password"])
            guard let user else { throw ConfigurationNode.AlreadyReported() }
            self = .basic(user: user, password: Secret(try required[1].text()))
        case "session":
            guard value.node.mapping != nil else {
                self = .session(id: Secret(try value.nonEmptyText()), cookieName: Self.defaultCookieName)
                return
            }
            let members = try value.members(["id", "cookieName"])
            guard let id = members["id"] else { throw value.error(.missingKey, "`session` needs `id`") }
            self = .session(
                id: Secret(try id.cookiePart()), cookieName: members["cookieName"]?.read { try $0.cookiePart() } ?? Self.defaultCookieName)
        case "facebook": self = .facebook(token: Secret(try value.required(["token"])[0].nonEmptyText()))
        case "persona": self = .persona(assertion: Secret(try value.required(["assertion"])[0].nonEmptyText()))
        case "cookie": self = .cookie(try RemoteCookie(value))
        default:
            let members = try value.required(["certificate", "key"])
            self = .clientCertificate(
                chain: try members[0].file(in: folder), key: Secret(String(decoding: try members[1].file(in: folder), as: UTF8.self)))
        }
    }
}

extension RemoteCookie {
    fileprivate init(_ node: ConfigurationNode) throws {
        let members = try node.members(["name", "value", "path", "expires", "secure", "httpOnly"])
        guard let name = members["name"], let value = members["value"] else {
            throw node.error(.missingKey, "a cookie needs `name` and `value`")
        }
        self.init(name: try name.cookiePart(), value: Secret(try value.cookiePart()))
        path = members["path"]?.read { try $0.text() }
        members["expires"]?.read { node in
            let text = try node.text()
            // Sync Gateway formats a session's expiry with nanoseconds.
            let styles = [Date.ISO8601FormatStyle(), Date.ISO8601FormatStyle(includingFractionalSeconds: true)]
            guard let date = styles.lazy.compactMap({ try? Date(text, strategy: $0) }).first else {
                throw node.error(.badValue, "expected a time such as `2030-01-31T00:00:00Z`, not `\(text)`")
            }
            expires = Int64(date.timeIntervalSince1970)
        }
        members["secure"]?.read { isSecure = try $0.bool() }
        members["httpOnly"]?.read { isHTTPOnly = try $0.bool() }
    }
}
