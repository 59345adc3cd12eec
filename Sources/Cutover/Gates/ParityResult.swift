public import Migration

/// What comparing the database with its legacy upstream found.
public struct ParityResult: Codable, Hashable, Sendable {
    /// When it was done, in milliseconds since 1970.
    public var time: Int64

    /// How many documents were compared.
    public var compared: Int

    /// How many differ by what the step asks for.
    public var differing: Int

    /// The same, by the kind of the difference: `missing`, `extra`, `winner`, `leaves`, `tombstone`, `body`, `attachments`.
    public var kinds: [String: Int]

    /// The first of them, for messages: their IDs.
    public var samples: [String]

    /// Of how many of them bodies and attachments were compared this time.
    public var bodies: Int

    /// The same with those of earlier comparisons.
    public var verified: Int

    /// Documents in conflict of which a Sync Gateway shows other attachments under the same revision by itself. They do not differ.
    public var shownOtherwise: ReportOutcome

    /// Whose login at the old server it was compared with; `nil` if there was none.
    public var login: String?

    /// Why nothing was compared; `nil` if it was.
    public var failure: String?

    public init(
        time: Int64, compared: Int = 0, differing: Int = 0, kinds: [String: Int] = [:], samples: [String] = [], bodies: Int = 0,
        verified: Int = 0, shownOtherwise: ReportOutcome = ReportOutcome(), failure: String? = nil
    ) {
        self.time = time
        self.compared = compared
        self.differing = differing
        self.kinds = kinds
        self.samples = samples
        self.bodies = bodies
        self.verified = verified
        self.shownOtherwise = shownOtherwise
        self.failure = failure
    }

    /// How old it is, in seconds.
    public func age(at now: Int64) -> Int64 { max(0, now - time) / 1_000 }

    /// Whether a step may be taken by it, or has to compare anew. What has failed is always tried again.
    public func isFresh(at now: Int64) -> Bool {
        failure == nil && differing == 0 && age(at: now) <= GateLimits.parityLifetime
    }
}
