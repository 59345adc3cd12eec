import Documents

extension UpstreamCheckpoints {
    /// What upstream says of what a device has seen.
    public enum SightAnswer: Sendable, Equatable {
        case told(UpstreamSight)
        /// It cannot be asked just now: the client had better come back.
        case unavailable
        /// It has been down for so long that clients are not to wait for it any more.
        case lost
    }

    /// A place of upstream's feed.
    public struct Place: Sendable {
        /// As the client keeps it.
        public let text: String

        /// Up to which number a device there has every document; `nil` where the place is no number.
        public let reached: Int64?

        public init(text: String, reached: Int64?) {
            self.text = text
            self.reached = reached
        }
    }

    /// How many rows of the feed are read, and how many channels are asked for, to find out what roles have given.
    private static let rows = 1_000
    private static let channels = 20

    /// The longest place that is sent, in bytes. Sync Gateway's are three numbers at most.
    private static let length = 64

    /// Asks of which channels a device has every document up to a place, with the device's own credentials.
    ///
    /// Sync Gateway tells since when a user has the channels of his own. Those of his roles it does not name; whether they were granted after the place is
    /// seen by the feed from there, which goes back for them.
    ///
    /// - Parameters:
    ///   - user: who asks here; `nil` for the guest. Somebody else there has seen nothing.
    ///   - held: the channels that he can see here.
    public func sight(
        of user: String?, at place: Place, holding held: Set<String>, with credentials: UpstreamLogin.Credentials?
    ) async -> SightAnswer {
        do throws(LoginError) {
            var header: VerificationRequest.Header?
            if let credentials { header = try UpstreamVerifier.header(credentials, cookieName: cookieName) }
            let session = try await UpstreamSession.fetch(from: database, header, by: client)
            guard session.name == user else { return .told(UpstreamSight()) }
            var sight = UpstreamSight(session, reached: place.reached)
            let open = held.subtracting(sight.channels).subtracting(sight.later.keys)
            if let reached = place.reached, place.text.utf8.count <= Self.length, !sight.channels.contains(ChannelAccess.everything),
                !open.isEmpty, open.count <= Self.channels
            {
                sight.channels.formUnion(try await seen(of: open, from: place.text, reached, header))
            }
            return .told(sight)
        } catch {
            return error.code == .unavailable ? noteOutage() : .told(UpstreamSight())
        }
    }

    /// Which of these channels the device has seen up to a place: those of which the feed from there does not give the first document as one of a channel
    /// that was granted afterwards.
    private func seen(
        of channels: Set<String>, from place: String, _ reached: Int64, _ header: VerificationRequest.Header?
    ) async throws(LoginError) -> Set<String> {
        let rows = try await feed([("since", place), ("limit", String(Self.rows))], header)
        guard rows.count < Self.rows else { return [] }
        let later = Set(rows.lazy.filter { $0.trigger.map { $0 > reached } ?? false }.map { ExactString($0.id) })
        var seen: Set<String> = []
        for channel in channels.sorted() {
            // Who may not see a channel is shown nothing of it. The rows of users and roles are no documents.
            let first = try await feed(
                [("filter", "sync_gateway/bychannel"), ("channels", channel), ("active_only", "true"), ("limit", "5")], header
            ).first { !$0.id.hasPrefix("_") }
            if let first, !later.contains(ExactString(first.id)) { seen.insert(channel) }
        }
        return seen
    }

    private struct Row {
        let id: String

        /// The change that granted the channel for which the feed goes back; `nil` for others.
        let trigger: Int64?
    }

    private func feed(
        _ query: [(name: String, value: String)], _ header: VerificationRequest.Header?
    ) async throws(LoginError) -> [Row] {
        let endpoint = database.appending("/_changes").appending(query: query)
        let response = try await client.send(.get(endpoint, headers: header.map { [$0] } ?? []))
        guard !response.isFailure else { throw LoginError(.unavailable, "The legacy upstream cannot be read, status \(response.status)") }
        guard response.status == 200 else { return [] }
        let results = try response.object(of: "The legacy upstream")["results"]?.array ?? []
        return results.map { row in
            // `T:S`, and `L:T:S` while upstream's cache lags behind.
            let numbers = (row["seq"]?.string ?? "").split(separator: ":", omittingEmptySubsequences: false).map { Int64($0) }
            let trigger = numbers.count >= 2 ? numbers[numbers.count - 2] : nil
            return Row(id: row["id"]?.string ?? "", trigger: trigger)
        }
    }

    private func noteOutage() -> SightAnswer {
        noteOutage(clock.seconds) == .unavailable ? .unavailable : .lost
    }
}
