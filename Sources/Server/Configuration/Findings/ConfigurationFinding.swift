/// One mistake in a configuration file, or one thing in it that deserves a look.
public struct ConfigurationFinding: Hashable, Sendable, CustomStringConvertible {
    public enum Severity: String, Sendable {
        /// The file cannot be used.
        case error
        /// The file can be used, and probably does not do what was meant.
        case warning
    }

    public let severity: Severity
    public let code: ConfigurationError.Code
    public internal(set) var place: ConfigurationPlace

    /// The way to the key, such as `databases.shop.routes[2].when`.
    public let path: String

    /// What is wrong there and what to write instead.
    public let message: String

    public init(_ severity: Severity, _ code: ConfigurationError.Code, at place: ConfigurationPlace, path: String, _ message: String) {
        self.severity = severity
        self.code = code
        self.place = place
        self.path = path
        self.message = message
    }

    /// `dualgauge.yaml:12:5: warning: databases.shop.routes[2].when: …`, as compilers write it.
    public var line: String {
        [place.description, severity.rawValue, path, message].filter { !$0.isEmpty }.joined(separator: ": ")
    }

    /// `dualgauge.yaml:12:5: databases.shop.routes[2].when: …`
    public var description: String {
        [place.description, path, message].filter { !$0.isEmpty }.joined(separator: ": ")
    }
}
