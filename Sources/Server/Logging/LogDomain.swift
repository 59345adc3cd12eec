import Logging

/// What a message of the log is about. Each domain has a level of its own; the names are Sync Gateway's log keys.
public enum LogDomain: String, CaseIterable, Sendable {
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
    static let metadataKey = "domain"
}

extension Logger {
    /// The same log for messages of a domain.
    func of(_ domain: LogDomain) -> Logger {
        var logger = self
        logger[metadataKey: LogDomain.metadataKey] = "\(domain.rawValue)"
        return logger
    }
}
