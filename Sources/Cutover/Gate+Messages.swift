import Migration

extension Gate {
    typealias Finding = (measured: Int64?, isPassed: Bool, message: String)

    static func parity(_ measurements: CutoverMeasurements, _ limits: GateLimits) -> Finding {
        guard limits.requiresParity else {
            return (nil, true, "The servers are not compared, because the configuration has `parity: skip`.")
        }
        guard let parity = measurements.parity else {
            return (nil, false, "Both servers have not been compared yet; a dry run of the step compares them.")
        }
        if let failure = parity.failure {
            return (nil, false, "Both servers could not be compared: \(failure)")
        }
        let differing = Int64(parity.differing)
        guard differing == 0 else {
            let kinds = parity.kinds.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
            let samples = parity.samples.isEmpty ? "" : " (\(parity.samples.joined(separator: ", ")))"
            return (
                differing, false,
                """
                \(count(differing, "document differs", "documents differ")) between both servers: \(kinds)\(samples). \(remedy(measurements)); for \
                the documents that still differ see `dualgauge parked list \(measurements.database)` and `dualgauge explain \
                \(measurements.database) ID`.
                """
            )
        }
        guard parity.age(at: measurements.time) <= GateLimits.parityLifetime else {
            return (
                0, false, "Both servers had the same documents, but the comparison is too old; a dry run of the step compares them again."
            )
        }
        return (0, true, "Both servers have the same \(count(Int64(parity.compared), "document", "documents"))\(sampled(parity)).")
    }

    private static func sampled(_ parity: ParityResult) -> String {
        let bodies = parity.verified < parity.compared ? ", with the bodies of \(parity.verified) of them compared so far" : ""
        let shown = parity.shownOtherwise
        guard shown.documents > 0 else { return bodies }
        return """
            \(bodies); of \(count(Int64(shown.documents), "document", "documents")) in conflict (\(shown.examples.joined(separator: ", "))) the old \
            Sync Gateway itself shows other attachments
            """
    }

    /// The remedy for documents that are missing here.
    private static func remedy(_ measurements: CutoverMeasurements) -> String {
        guard !measurements.isPulling else { return "Let the replication catch up" }
        return """
            At this stage changes of the old server are no longer copied: go back with `dualgauge cutover reverse \(measurements.database) --to \
            dual`, let the replication catch up, and find the clients that still write to the old server
            """
    }

    static func scope(_ scope: ScopeMeasurement) -> Finding {
        switch scope {
        case .everything: (0, true, "The login sees every document of the old server.")
        case .chosen(let channels): (0, true, "The replication copies only \(named(channels)), as configured.")
        case .channels(let channels):
            (
                1, false,
                """
                The login sees only \(named(channels)) of the old server. Documents of other channels are not copied, and the comparison does not \
                show them. Give the login the channel `*` there, or name another login in the replication's `auth`. The user itself needs the \
                channel: with `*` by a role a Sync Gateway withholds documents that are in no channel.
                """
            )
        case .unknown(let why):
            (nil, false, "The check whether the login sees all documents of the old server failed: \(why)")
        }
    }

    private static func named(_ channels: [String]) -> String {
        guard !channels.isEmpty else { return "no channel" }
        let first = channels.prefix(5).map { "`\($0)`" }.joined(separator: ", ")
        return "the \(channels.count == 1 ? "channel" : "channels") \(first)\(channels.count > 5 ? " and \(channels.count - 5) more" : "")"
    }

    static func lag(_ lag: LagMeasurement, _ limits: GateLimits) -> Finding {
        switch lag {
        case .seconds(let seconds) where seconds <= limits.maxLag:
            (seconds, true, seconds == 0 ? "The replication has caught up." : "The replication last caught up \(seconds) s ago.")
        case .seconds(let seconds):
            (
                seconds, false,
                "The replication last caught up \(seconds) s ago; at most \(limits.maxLag) s are allowed. Wait, or find the cause of the delay."
            )
        case .unknown(let why):
            (nil, false, "The replication with the old server has not caught up: \(why). Correct the cause, and wait until it is idle.")
        }
    }

    static func parked(_ parked: Int, _ isPassed: Bool, in database: String) -> String {
        if parked == 0 { return "No revision is parked." }
        let found = "\(count(Int64(parked), "revision is", "revisions are")) parked, because one side has refused them"
        if isPassed { return "\(found); that number is allowed." }
        return """
            \(found). List them with `dualgauge parked list \(database)`, correct the causes, and try them again with `dualgauge parked retry \
            \(database)`.
            """
    }

    static func history(_ documents: Int) -> String {
        if documents == 0 { return "The old server can accept every change since the replication with it ended." }
        return """
            \(count(Int64(documents), "document has", "documents have")) been changed since the replication with the old server ended and no longer \
            have all older revisions; on the old server they may become conflicts.
            """
    }

    static func oldClients(_ measurements: CutoverMeasurements, _ limits: GateLimits) -> String {
        let days = limits.oldClientsQuietFor / 86_400
        let span = days > 0 ? count(days, "day", "days") : "\(limits.oldClientsQuietFor) s"
        if measurements.oldClients == 0 { return "No 1.x client was seen for \(span)." }
        let clients = count(Int64(measurements.oldClients), "1.x client has", "1.x clients have")
        let feeds = measurements.oldFeeds == 0 ? "" : ", and \(count(Int64(measurements.oldFeeds), "feed is", "feeds are")) open now"
        return """
            \(clients) used the bridge within \(span)\(feeds); after the step they can no longer sync. \
            `dualgauge fleet \(measurements.database) --generation 1` lists them.
            """
    }

    private static func count(_ number: Int64, _ one: String, _ many: String) -> String { "\(number) \(number == 1 ? one : many)" }
}
