import Access
import HTTP

extension AccessConfiguration {
    /// Reads a database's `sessions`.
    init(sessions node: ConfigurationNode) throws {
        self.init()
        let members = try node.members(["cookieName", "ttl", "secure"])
        if let node = members["cookieName"] {
            cookieName = try node.text()
            guard SetCookie(name: cookieName, value: "") != nil else {
                throw node.error(.badValue, "`\(cookieName)` cannot be a cookie's name; use letters, digits, `_` and `-`")
            }
        }
        if let node = members["ttl"] {
            sessionTime = try node.duration().components.seconds
            guard (1...Sessions.maximumTimeToLive).contains(sessionTime) else {
                throw node.error(.badValue, "a session lasts at least a second and at most ten years")
            }
        }
        if let node = members["secure"] { isCookieSecure = try node.bool() }
    }
}
