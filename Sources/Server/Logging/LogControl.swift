package import BridgeConfiguration
import Coordination
import Documents
package import Logging

/// The log of a running bridge: creates its loggers and changes their settings together.
package final class LogControl: Sendable {
    private let state: Lock<LogSettings>
    private let sink: @Sendable (String) -> Void

    /// The key of user data's digests, which are of no use without it.
    private let key: [UInt8] = (0..<32).map { _ in .random(in: .min ... .max) }

    /// - Parameter sink: receives each line, without a line break.
    package init(_ settings: LogSettings = LogSettings(), sink: @escaping @Sendable (String) -> Void) {
        state = Lock(settings)
        self.sink = sink
    }

    package var settings: LogSettings {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    /// Changes the settings atomically.
    func change(_ change: (inout LogSettings) throws -> Void) rethrows {
        try state.withLock { try change(&$0) }
    }

    package func logger(_ label: String) -> Logger {
        Logger(label: label) { _ in DomainLogHandler(control: self) }
    }

    func level(of domain: LogDomain?) -> Logger.Level {
        state.withLock { $0.level(of: domain) }
    }

    func write(_ line: LogLine) {
        let settings = settings
        sink(line.rendered(settings.format, settings.redaction, digest: digest))
    }

    /// A digest of sixteen hexadecimal digits.
    private func digest(_ text: String) -> String {
        let hash = AttachmentDigest.sha1(of: key + Array(text.utf8)).bytes.prefix(8)
        let digits = String(hash.reduce(into: UInt64()) { $0 = $0 << 8 | UInt64($1) }, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}

/// A log handler that uses the current level of the message's domain.
struct DomainLogHandler: LogHandler {
    let control: LogControl
    var metadata: Logger.Metadata = [:] {
        didSet { domain = metadata[LogDomain.metadataKey].flatMap { LogDomain(rawValue: "\($0)") } }
    }
    private var domain: LogDomain?

    /// A level set on this logger only.
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
