package import BridgeConfiguration
import Documents
package import Logging
import Synchronization

/// The log of a running bridge: makes its loggers, and changes all of them at once.
package final class LogControl: Sendable {
    private let kept: Mutex<LogSettings>
    private let sink: @Sendable (String) -> Void

    /// Digests of users' data are of no use to who does not know it.
    private let key: [UInt8] = (0..<32).map { _ in .random(in: .min ... .max) }

    /// - Parameter sink: gets each line, without its end.
    package init(_ settings: LogSettings = LogSettings(), sink: @escaping @Sendable (String) -> Void) {
        kept = Mutex(settings)
        self.sink = sink
    }

    package var settings: LogSettings {
        get { kept.withLock { $0 } }
        set { kept.withLock { $0 = newValue } }
    }

    /// Changes the settings, and nothing else between.
    func change(_ change: (inout LogSettings) throws -> Void) rethrows {
        try kept.withLock { try change(&$0) }
    }

    package func logger(_ label: String) -> Logger {
        Logger(label: label) { _ in DomainLogHandler(control: self) }
    }

    func level(of domain: LogDomain?) -> Logger.Level {
        kept.withLock { $0.level(of: domain) }
    }

    func write(_ line: LogLine) {
        let settings = settings
        sink(line.rendered(settings.format, settings.redaction, digest: digest))
    }

    /// Sixteen hexadecimal digits.
    private func digest(_ text: String) -> String {
        let hash = AttachmentDigest.sha1(of: key + Array(text.utf8)).bytes.prefix(8)
        let digits = String(hash.reduce(into: UInt64()) { $0 = $0 << 8 | UInt64($1) }, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}

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
