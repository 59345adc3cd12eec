/// Which pages of other origins may ask for a database in a browser (CORS), as Sync Gateway's `cors` has it. None, unless somebody says so.
package struct CrossOriginPolicy: Hashable, Sendable {
    /// Origins such as `https://app.example.com`; `*` for any, without credentials.
    package var origins: [String] = []

    /// Origins that may also log in and out by `_session`, `_facebook` and the like.
    package var loginOrigins: [String] = []

    /// Headers of requests that pages may set.
    package var headers: [String] = []

    /// For how many seconds a browser may remember the answer; `nil` for its own default.
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
            if let bad = headers.first(where: { !Self.isHeader($0) }) { throw node.error(.badValue, "`\(bad)` is no header's name") }
        }
        members["maxAge"]?.read { maximumAge = try $0.duration().components.seconds }
    }

    private static func origins(_ node: ConfigurationNode) throws -> [String] {
        let origins = try node.texts()
        if let bad = origins.first(where: { !isOrigin($0) }) {
            throw node.error(.badValue, "`\(bad)` is no origin; write it like `https://app.example.com`, without a path, or `*` for any")
        }
        return origins
    }

    /// `null` stands for pages without an origin, such as local files.
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
