public import Logging

/// How much is logged, and how what belongs to users is shown.
public struct LogSettings: Hashable, Sendable {
    /// How names of users, IDs of documents and addresses stand in the log. Passwords, tokens and sessions never stand in it.
    public enum Redaction: String, CaseIterable, Sendable {
        /// As they are.
        case none
        /// Between `<ud>` and `</ud>`, so that they can be taken out of a log before it is given away.
        case marked
        /// As a digest, which is the same for the same text until the bridge is started anew.
        case full
    }

    /// What a line of the log looks like.
    public enum Format: String, CaseIterable, Sendable {
        /// Time, level, domain and message, and fields as `name=value`: for people.
        case text
        /// One JSON object a line: for programs.
        case json
    }

    /// The level of what belongs to no domain, and of domains without one of their own.
    public var level = Logger.Level.info

    /// Requests are many: the log of them has to be asked for.
    public var domains: [LogDomain: Logger.Level] = [.http: .warning]
    public var redaction = Redaction.marked
    public var format = Format.text

    public init() {}

    /// One level for everything, and everything as it is: for commands, whose log is their user's own.
    public init(level: Logger.Level) {
        self.level = level
        domains = [:]
        redaction = .none
    }

    func level(of domain: LogDomain?) -> Logger.Level {
        domain.flatMap { domains[$0] } ?? level
    }
}
