import Access
import HTTP

extension AccessConfiguration {
    /// Reads a database's `sessions`.
    init(sessions node: ConfigurationNode) throws {
        self.init()
        try readSessions(node)
    }

    mutating func readSessions(_ node: ConfigurationNode) throws {
        let members = try node.members(["cookieName", "ttl", "secure"])
        members["cookieName"]?.read { node in
            cookieName = try node.text()
            guard SetCookie(name: cookieName, value: "") != nil else {
                throw node.error(.badValue, "`\(cookieName)` cannot be a cookie's name; use letters, digits, `_` and `-`")
            }
        }
        members["ttl"]?.read { node in
            sessionTime = try node.duration().components.seconds
            guard (1...Sessions.maximumTimeToLive).contains(sessionTime) else {
                throw node.error(.badValue, "a session lasts at least a second and at most ten years")
            }
        }
        members["secure"]?.read { isCookieSecure = try $0.bool() }
    }
}
