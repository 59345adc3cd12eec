package import Logging

/// The log's levels and format, and the redaction of user data.
package struct LogSettings: Hashable, Sendable {
    /// How user names, document IDs and addresses appear in the log. Passwords, tokens and session IDs never appear in it.
    package enum Redaction: String, CaseIterable, Sendable {
        /// Unchanged.
        case none
        /// Between `<ud>` and `</ud>`, so that a script can remove them before the log is shared.
        case marked
        /// As a digest. Equal texts have equal digests until the bridge restarts.
        case full
    }

    /// The format of a log line.
    package enum Format: String, CaseIterable, Sendable {
        /// Time, level, domain and message, with fields as `name=value`; for people.
        case text
        /// One JSON object per line; for programs.
        case json
    }

    /// The level of messages without a domain, and of domains that have no level in `domains`.
    package var level = Logger.Level.info

    /// Levels by domain. Requests are frequent, so they are logged only if the configuration sets the level of `http`.
    package var domains: [LogDomain: Logger.Level] = [.http: .warning]
    package var redaction = Redaction.marked
    package var format = Format.text

    package init() {}

    /// One level for all messages, without redaction: for commands, whose log only their user reads.
    package init(level: Logger.Level) {
        self.level = level
        domains = [:]
        redaction = .none
    }

    package func level(of domain: LogDomain?) -> Logger.Level {
        domain.flatMap { domains[$0] } ?? level
    }
}

/// The subject of a log message. Each domain has its own level; the names are Sync Gateway's log keys.
package enum LogDomain: String, CaseIterable, Sendable {
    /// Requests, and the 1.x listener. At `info` every request is logged.
    case http = "HTTP"
    /// Logins.
    case auth = "Auth"
    /// Administrative changes.
    case admin = "Admin"
    /// Connections from 2.x+ clients.
    case sync = "Sync"
    /// Replications with other servers.
    case replicate = "Replicate"
    /// Databases and their documents.
    case crud = "CRUD"

    /// The metadata key that holds a message's domain.
    package static let metadataKey = "domain"
}

extension Logger {
    /// A copy of the logger whose messages carry the domain.
    package func of(_ domain: LogDomain) -> Logger {
        var logger = self
        logger[metadataKey: LogDomain.metadataKey] = "\(domain.rawValue)"
        return logger
    }
}

extension LogSettings {
    init(_ node: ConfigurationNode) throws {
        self.init()
        let members = try node.members(["level", "domains", "redaction", "format"])
        members["level"]?.read { level = try $0.choice(Logger.Level.self) }
        members["redaction"]?.read { redaction = try $0.choice(Redaction.self) }
        members["format"]?.read { format = try $0.choice(Format.self) }
        let domainNodes = members["domains"]?.read { try $0.members(LogDomain.allCases.map(\.rawValue)) }
        for (name, node) in domainNodes ?? [:] {
            guard let domain = LogDomain(rawValue: name) else { continue }
            node.read { domains[domain] = try $0.choice(Logger.Level.self) }
        }
    }
}
