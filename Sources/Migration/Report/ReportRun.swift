import Foundation

/// The parameters and the state of a run.
package struct ReportRun: Codable, Sendable, Equatable {
    package enum Kind: String, Codable, Sendable {
        /// From a source into a store.
        case copy
        /// Within a store, into collections.
        case move
        /// Within a store, back to the original collections.
        case revert
        /// Compares two sides without writing.
        case verify
    }

    package enum State: String, Codable, Sendable {
        case running, paused, finished
        /// Stopped on request or by the end of the process; a new run can resume it.
        case interrupted
        /// Failed; ``ReportRun/message`` holds the reason.
        case failed
    }

    package var kind: Kind
    package var state = State.running

    /// The source, without credentials.
    package var source: String

    /// Kind of the source: `Couchbase Lite 1.x database (SQLite)`.
    package var sourceKind: String

    /// The store, or the second side of a comparison.
    package var target: String

    /// Path of the routes file, if any.
    package var routes: String?

    /// Whether the run writes nothing.
    package var isDryRun: Bool

    /// Options that differ from the defaults, by name: `["rate": "500"]`. Secrets are omitted.
    package var options: [String: String]

    package var started: ReportTime
    package var finished: ReportTime?

    /// Duration of the run, without the time between interruptions and resumptions.
    package var seconds: Double

    /// Number of resumptions.
    package var resumed: Int

    /// Documents of the collections' counts, and seconds of the run, from before the last resumption. The differences to the totals are the work
    /// of this process.
    package var earlierDocuments = 0
    package var earlierSeconds = 0.0

    /// Number of documents that the source reports.
    package var expectedDocuments: Int?

    /// Channels that limit the login at a server; `nil` if the login can read every document.
    package var seenChannels: [String]?

    /// Why the run ended early or is paused.
    package var message: String?

    /// The program's version.
    package var version: String

    package init(
        _ kind: Kind, source: String, sourceKind: String, target: String, routes: String? = nil, isDryRun: Bool = false,
        options: [String: String] = [:], started: ReportTime, version: String
    ) {
        self.kind = kind
        self.source = source
        self.sourceKind = sourceKind
        self.target = target
        self.routes = routes
        self.isDryRun = isDryRun
        self.options = options
        self.started = started
        self.version = version
        seconds = 0
        resumed = 0
    }
}

extension ReportRun {
    /// Encodes every key; unknown values are null.
    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(kind, forKey: .kind)
        try values.encode(state, forKey: .state)
        try values.encode(source, forKey: .source)
        try values.encode(sourceKind, forKey: .sourceKind)
        try values.encode(target, forKey: .target)
        try values.encode(routes, forKey: .routes)
        try values.encode(isDryRun, forKey: .isDryRun)
        try values.encode(options, forKey: .options)
        try values.encode(started, forKey: .started)
        try values.encode(finished, forKey: .finished)
        try values.encode(seconds, forKey: .seconds)
        try values.encode(resumed, forKey: .resumed)
        try values.encode(earlierDocuments, forKey: .earlierDocuments)
        try values.encode(earlierSeconds, forKey: .earlierSeconds)
        try values.encode(expectedDocuments, forKey: .expectedDocuments)
        try values.encode(seenChannels, forKey: .seenChannels)
        try values.encode(message, forKey: .message)
        try values.encode(version, forKey: .version)
    }
}

/// A time in whole seconds, encoded as `2026-11-21T10:20:57Z`.
package struct ReportTime: Hashable, Comparable, Sendable {
    /// Seconds since 1970.
    package let seconds: Int64

    package init(seconds: Int64) {
        self.seconds = seconds
    }

    package static var now: ReportTime { ReportTime(seconds: Int64(Date().timeIntervalSince1970)) }

    package static func < (a: ReportTime, b: ReportTime) -> Bool { a.seconds < b.seconds }
}

extension ReportTime: CustomStringConvertible {
    package var description: String { Date(timeIntervalSince1970: TimeInterval(seconds)).formatted(.iso8601) }
}

extension ReportTime: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let date = try? Date(text, strategy: .iso8601) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "`\(text)` is not a time as 2026-11-21T10:20:57Z")
        }
        seconds = Int64(date.timeIntervalSince1970)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
