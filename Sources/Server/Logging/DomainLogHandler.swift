import Logging

/// Writes messages if their domain's level, as it is now, allows.
struct DomainLogHandler: LogHandler {
    let control: LogControl
    var metadata: Logger.Metadata = [:] {
        didSet { domain = metadata[LogDomain.metadataKey].flatMap { LogDomain(rawValue: "\($0)") } }
    }
    private var domain: LogDomain?

    /// A level that this logger alone was given.
    private var ownLevel: Logger.Level?

    init(control: LogControl) {
        self.control = control
    }

    var logLevel: Logger.Level {
        get { ownLevel ?? control.level(of: domain) }
        set { ownLevel = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var metadata = metadata
        if let more = event.metadata { metadata.merge(more) { $1 } }
        metadata[LogDomain.metadataKey] = nil
        control.write(LogLine(level: event.level, domain: domain, message: "\(event.message)", metadata: metadata))
    }
}
