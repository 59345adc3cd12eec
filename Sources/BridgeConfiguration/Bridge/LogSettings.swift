package import Logging

/// How much is logged, and how what belongs to users is shown.
package struct LogSettings: Hashable, Sendable {
    /// How names of users, IDs of documents and addresses stand in the log. Passwords, tokens and sessions never stand in it.
    package enum Redaction: String, CaseIterable, Sendable {
        /// As they are.
        case none
        /// Between `<ud>` and `</ud>`, so that they can be taken out of a log before it is given away.
        case marked
        /// As a digest, which is the same for the same text until the bridge is started anew.
        case full
    }

    /// What a line of the log looks like.
    package enum Format: String, CaseIterable, Sendable {
        /// Time, level, domain and message, and fields as `name=value`: for people.
        case text
        /// One JSON object a line: for programs.
        case json
    }

    /// The level of what belongs to no domain, and of domains without one of their own.
    package var level = Logger.Level.info

    /// Requests are many: the log of them has to be asked for.
    package var domains: [LogDomain: Logger.Level] = [.http: .warning]
    package var redaction = Redaction.marked
    package var format = Format.text

    package init() {}

    /// One level for everything, and everything as it is: for commands, whose log is their user's own.
    package init(level: Logger.Level) {
        self.level = level
        domains = [:]
        redaction = .none
    }

    package func level(of domain: LogDomain?) -> Logger.Level {
        domain.flatMap { domains[$0] } ?? level
    }
}

/// What a message of the log is about. Each domain has a level of its own; the names are Sync Gateway's log keys.
package enum LogDomain: String, CaseIterable, Sendable {
    /// Requests, and the 1.x listener. At `info` every request is logged.
    case http = "HTTP"
    /// Logins.
    case auth = "Auth"
    /// What administrators do.
    case admin = "Admin"
    /// Connections of 2.x+ clients.
    case sync = "Sync"
    /// Replications with other servers.
    case replicate = "Replicate"
    /// Databases and their documents.
    case crud = "CRUD"

    /// The key under which messages carry their domain.
    package static let metadataKey = "domain"
}

extension Logger {
    /// The same log for messages of a domain.
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
