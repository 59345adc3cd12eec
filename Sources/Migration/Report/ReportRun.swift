import Foundation

/// What a run was asked to do, and how far it has come.
package struct ReportRun: Codable, Sendable, Equatable {
    package enum Kind: String, Codable, Sendable {
        /// From a source into a store.
        case copy
        /// Within a store, into collections.
        case move
        /// Within a store, back to where documents were.
        case revert
        /// Two sides are compared, and nothing is written.
        case verify
    }

    package enum State: String, Codable, Sendable {
        case running, paused, finished
        /// Somebody stopped it, or the process ended; it can go on.
        case interrupted
        /// It could not go on; ``ReportRun/message`` says why.
        case failed
    }

    package var kind: Kind
    package var state = State.running

    /// Where documents come from, without credentials.
    package var source: String

    /// What the source is: `Couchbase Lite 1.x database (SQLite)`.
    package var sourceKind: String

    /// The store, or the other side of a comparison.
    package var target: String

    /// The file of routes, where there is one.
    package var routes: String?

    /// Whether nothing was written.
    package var isDryRun: Bool

    /// The options that differ from the defaults, by name: `["rate": "500"]`. No secrets.
    package var options: [String: String]

    package var started: ReportTime
    package var finished: ReportTime?

    /// For how long it ran, without the time between a stop and going on.
    package var seconds: Double

    /// How often it was taken up again.
    package var resumed: Int

    /// How many of the collections' documents come from before it was taken up again, and for how long it ran until then: the rest is what it has done since.
    package var earlierDocuments = 0
    package var earlierSeconds = 0.0

    /// How many documents the source said that it has.
    package var expectedDocuments: Int?

    /// The channels to which the login at a server was limited; `nil` where it saw every document.
    package var seenChannels: [String]?

    /// Why it ended before its end, or is paused.
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
    /// Every key is there; what is not known is null.
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

/// A moment, which is written as `2026-11-21T10:20:57Z`.
package struct ReportTime: Hashable, Comparable, Sendable {
    /// Since 1970.
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
