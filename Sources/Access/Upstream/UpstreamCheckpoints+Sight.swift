import Documents

extension UpstreamCheckpoints {
    /// What upstream says of what a device has seen.
    public enum VisibilityAnswer: Sendable, Equatable {
        case told(UpstreamVisibility)
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

        /// Up to which number of a grant the device has been given the documents of its channel, as far as ``reached``: more than that where it stands
        /// among the older documents of a channel that was granted later.
        public let granted: Int64?

        public init(text: String, reached: Int64?, granted: Int64? = nil) {
            self.text = text
            self.reached = reached
            self.granted = granted ?? reached
        }
    }

    /// How many channels are asked for to find out what roles have given, and in which of them documents were deleted.
    private static let roleChannels = 20
    private static let channels = 200

    /// The longest place that is sent, in bytes. Sync Gateway's are three numbers at most.
    private static let length = 64

    /// What the bridge has of upstream's feed, with which is compared what upstream tells a device.
    public struct Pull {
        /// Up to which number everything is here; `nil` where that is not known.
        public var pulled: () async throws -> Int64?

        /// Waits for a while until everything up to a number is here, and says whether it is.
        public var wait: (Int64) async throws -> Bool

        /// Gives of the losses those of which a device that has seen this is not told here.
        public var untold: (UpstreamVisibility) async throws -> [UpstreamVisibility.Loss]

        public init(
            pulled: @escaping () async throws -> Int64? = { nil }, wait: @escaping (Int64) async throws -> Bool = { _ in true },
            untold: @escaping (UpstreamVisibility) async throws -> [UpstreamVisibility.Loss] = { $0.losses }
        ) {
            self.pulled = pulled
            self.wait = wait
            self.untold = untold
        }
    }

    /// Asks of which channels a device has every document up to a place, and which documents it is to lose behind it, with the device's own credentials.
    ///
    /// Sync Gateway tells since when a user has the channels of his own. Those of his roles it does not name; whether they were granted after the place is
    /// seen by the feed from there, which goes back for them whole. The feed names the documents that the device is to lose as well. All that upstream
    /// has shown the device, or is to take from it, has to be here before the two feeds can be compared: a device that is ahead of the pull waits for it.
    ///
    /// - Parameters:
    ///   - user: who asks here; `nil` for the guest. Somebody else there has seen nothing.
    ///   - held: the channels that he can see here.
    ///   - seesEverything: whether he sees every document here, so that he is told of losses in any case.
    public func sight(
        of user: String?, at place: Place, holding held: Set<String>, seesEverything: Bool = false,
        with credentials: UpstreamLogin.Credentials?, beside pull: Pull = Pull()
    ) async throws -> VisibilityAnswer {
        do {
            var header: VerificationRequest.Header?
            if let credentials { header = try UpstreamVerifier.header(credentials, cookieName: cookieName) }
            let session = try await UpstreamSession.fetch(from: database, header, by: recent)
            guard session.name == user else { return .told(UpstreamVisibility()) }
            var sight = UpstreamVisibility(session, at: place)
            guard let reached = place.reached, session.grants != nil, place.text.utf8.count <= Self.length else { return .told(sight) }
            let feed = UpstreamFeed(database: database, header: header, client: client, recent: recent)
            let pulled = try await pull.pulled()
            var awaited: Int64?
            if let pulled { awaited = try await feed.last(behind: pulled, upTo: reached) }
            if !seesEverything {
                try await read(feed, from: place.text, into: &sight)
                awaited = (sight.losses.compactMap(\.number) + [awaited].compactMap { $0 }).max()
            }
            if let pulled, let awaited, awaited > pulled, try await !pull.wait(awaited), recordLag(try await pull.pulled() ?? pulled) {
                return .unavailable
            }
            guard !seesEverything else { return .told(sight) }
            let open = held.subtracting(sight.channels).subtracting(sight.later.keys)
            if let told = sight.told, !sight.channels.contains(ChannelAccess.everything), open.count <= Self.roleChannels {
                sight.channels.formUnion(try await seen(of: open, at: reached, told.ids, by: feed))
            }
            let channels = held.union(sight.own ?? [])
            sight.losses = try await located(try await pull.untold(sight), from: place.text, in: channels, by: feed)
            return .told(sight)
        } catch let error as LoginError {
            return error.code == .unavailable ? noteOutage() : .told(UpstreamVisibility())
        }
    }

    /// Reads what upstream tells a device behind its place.
    private func read(_ feed: UpstreamFeed, from place: String, into sight: inout UpstreamVisibility) async throws(LoginError) {
        var told = UpstreamVisibility.Told()
        var complete = Int64.max
        var losses: [UpstreamVisibility.Loss] = []
        let isWhole = try await feed.read(from: place) { rows in
            for row in rows {
                told.end = max(told.end, row.number ?? 0)
                complete = min(complete, row.complete ?? .max)
                guard row.isOfDocument else { continue }
                told.ids.insert(ExactString(row.id))
                guard row.isDeleted || !row.removed.isEmpty else { continue }
                losses.append(.init(id: row.id, channels: row.removed, number: row.number))
            }
            return true
        }
        sight.losses = losses
        told.end = min(told.end, complete)
        if isWhole { sight.told = told }
    }

    /// Which of these channels the device has seen: those that had documents by then of which the feed from its place does not tell. A channel that was granted
    /// behind the place is told whole.
    private func seen(
        of channels: Set<String>, at reached: Int64, _ told: Set<ExactString>, by feed: UpstreamFeed
    ) async throws(LoginError) -> Set<String> {
        var seen: Set<String> = []
        for channel in channels.sorted() {
            // Who may not see a channel is shown nothing of it.
            let documents = try await feed.first(of: channel).filter { $0.number.map { $0 <= reached } ?? false }
            if documents.contains(where: { !told.contains(ExactString($0.id)) }) { seen.insert(channel) }
        }
        return seen
    }

    /// The same losses, with one of the user's channels for each deleted document: the feed does not name it.
    private func located(
        _ losses: [UpstreamVisibility.Loss], from place: String, in held: Set<String>, by feed: UpstreamFeed
    ) async throws(LoginError) -> [UpstreamVisibility.Loss] {
        var found = losses.filter { !$0.channels.isEmpty }
        var rest = Set(losses.filter(\.channels.isEmpty).map { ExactString($0.id) })
        for channel in held.union([ChannelAccess.everyone]).sorted().prefix(Self.channels) {
            guard !rest.isEmpty else { break }
            _ = try await feed.read(from: place, of: channel) { rows in
                for row in rows where row.isDeleted && rest.remove(ExactString(row.id)) != nil {
                    found.append(.init(id: row.id, channels: [channel], number: row.number))
                }
                return !rest.isEmpty
            }
        }
        return found
    }

    private func noteOutage() -> VisibilityAnswer {
        noteOutage(clock.seconds) == .unavailable ? .unavailable : .lost
    }
}
