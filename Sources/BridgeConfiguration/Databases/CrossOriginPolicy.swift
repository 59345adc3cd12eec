/// The origins whose pages may use a database from a browser (CORS), as in Sync Gateway's `cors`. None by default.
package struct CrossOriginPolicy: Hashable, Sendable {
    /// Allowed origins such as `https://app.example.com`; `*` for any origin, without credentials.
    package var origins: [String] = []

    /// Origins that may also log in and out through `_session`, `_facebook` and similar endpoints.
    package var loginOrigins: [String] = []

    /// Request headers that pages may set.
    package var headers: [String] = []

    /// How many seconds a browser may cache the preflight reply; `nil` for the browser's default.
    package var maximumAge: Int64?

    package init() {}
}

extension CrossOriginPolicy {
    /// Reads a database's `cors`.
    init(_ node: ConfigurationNode) throws {
        self.init()
        let members = try node.members(["origins", "loginOrigins", "headers", "maxAge"])
        members["origins"]?.read { origins = try Self.origins($0) }
        members["loginOrigins"]?.read { loginOrigins = try Self.origins($0) }
        members["headers"]?.read { node in
            headers = try node.texts()
            if let bad = headers.first(where: { !Self.isHeader($0) }) {
                throw node.error(.badValue, "`\(bad)` is not the name of a header")
            }
        }
        members["maxAge"]?.read { maximumAge = try $0.duration().components.seconds }
    }

    private static func origins(_ node: ConfigurationNode) throws -> [String] {
        let origins = try node.texts()
        if let bad = origins.first(where: { !isOrigin($0) }) {
            throw node.error(
                .badValue, "`\(bad)` is not an origin; write it like `https://app.example.com`, without a path, or `*` for any")
        }
        return origins
    }

    /// Whether a text is an origin. `null` is the origin of pages without one, such as local files.
    package static func isOrigin(_ text: String) -> Bool {
        if text == "*" || text == "null" { return true }
        guard let colon = text.firstRange(of: "://"), colon.lowerBound > text.startIndex else { return false }
        let host = text[colon.upperBound...]
        return !host.isEmpty && host.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && !"/?#@,\"".utf8.contains($0) }
    }

    package static func isHeader(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && !"(),/:;<=>?@[\\]{}\"".utf8.contains($0) }
    }
}
