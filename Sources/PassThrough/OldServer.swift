import Foundation
import HTTP

/// The database on the old server to which requests are passed on.
package struct OldServer: Hashable, Sendable {
    /// Scheme, host and port, without a slash at the end.
    package let origin: String

    /// The host to connect to; an IPv6 address has no brackets.
    let host: String
    let port: Int
    let isSecure: Bool

    /// The path of the database as written in its URL, without a slash at the end.
    private let path: String

    /// - Parameter url: The URL of the database on the old server's public port: `http` or `https`, without user and query.
    /// - Returns: `nil` for any other text.
    package init?(_ url: String) {
        guard let parsed = WebURL(url, schemes: WebURL.http), parsed.parts.user == nil, parsed.parts.query == nil,
            parsed.parts.fragment == nil
        else { return nil }
        let path = parsed.parts.percentEncodedPath
        self.path = String(path.reversed().drop { $0 == "/" }.reversed())
        guard self.path.hasPrefix("/") else { return nil }
        (host, port, isSecure) = (parsed.bareHost, parsed.port, parsed.isSecure)
        origin = "\(parsed.scheme)://\(parsed.host)" + (parsed.parts.port.map { ":\($0)" } ?? "")
    }

    /// The target on the old server of a request to this bridge.
    ///
    /// The name of the database is replaced by its path on the old server. The rest of the target stays as it came, with its percent escapes.
    ///
    /// - Parameter raw: The target as the client has sent it: a path whose first segment is the database's name, and a query.
    package func target(for raw: String) -> String { path + Self.escaped(Self.rest(of: raw)) }

    /// The URL of the server's root, to compare servers of several databases.
    package var root: String { origin.lowercased() + path[..<(path.lastIndex(of: "/") ?? path.startIndex)] }

    /// The target on the old server of a request outside any database, such as `/`. The root of the old server is the folder of the database.
    package func rootTarget(for raw: String) -> String {
        path[..<(path.lastIndex(of: "/") ?? path.startIndex)] + Self.escaped(raw[...])
    }

    /// Whether a request outside any database would reach this database.
    package func isReached(by raw: String) -> Bool {
        let target = rootTarget(for: raw).prefix { $0 != "?" }
        return target == path || target.hasPrefix(path + "/")
    }

    /// The part of a target behind its first segment.
    private static func rest(of raw: String) -> Substring {
        let name = raw.dropFirst()
        return name[(name.utf8.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? name.endIndex)...]
    }

    /// Escapes `#`, which servers read as a part of the path, and URL parsers as the begin of a fragment.
    private static func escaped(_ text: Substring) -> String {
        text.utf8.contains(UInt8(ascii: "#")) ? text.replacingOccurrences(of: "#", with: "%23") : String(text)
    }
}
