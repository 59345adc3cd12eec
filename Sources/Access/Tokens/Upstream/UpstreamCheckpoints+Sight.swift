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

    /// How many channels are asked for to find out what roles have given, and in which of them documents were deleted.
    private static let roleChannels = 20
    private static let channels = 200

    /// The longest place that is sent, in bytes. Sync Gateway's are three numbers at most.
    private static let length = 64

    /// Asks of which channels a device has every document up to a place, and which documents it is to lose behind it, with the device's own credentials.
    ///
    /// Sync Gateway tells since when a user has the channels of his own. Those of his roles it does not name; whether they were granted after the place is
    /// seen by the feed from there, which goes back for them whole. The feed names the documents that the device is to lose as well.
    ///
    /// - Parameters:
    ///   - user: who asks here; `nil` for the guest. Somebody else there has seen nothing.
    ///   - held: the channels that he can see here.
    ///   - seesEverything: whether he sees every document here, so that he is told of losses in any case.
    ///   - untold: gives of the losses those of which a device that has seen this is not told here.
    public func sight(
        of user: String?, at place: Place, holding held: Set<String>, seesEverything: Bool = false,
        with credentials: UpstreamLogin.Credentials?, untold: (UpstreamSight) async throws -> [UpstreamSight.Loss] = { $0.losses }
    ) async throws -> SightAnswer {
        do {
            var header: VerificationRequest.Header?
            if let credentials { header = try UpstreamVerifier.header(credentials, cookieName: cookieName) }
            let session = try await UpstreamSession.fetch(from: database, header, by: recent)
            guard session.name == user else { return .told(UpstreamSight()) }
            var sight = UpstreamSight(session, reached: place.reached)
            guard let reached = place.reached, session.grants != nil, !seesEverything, place.text.utf8.count <= Self.length else {
                return .told(sight)
            }
            let feed = UpstreamFeed(database: database, header: header, client: client, recent: recent)
            var told: Set<ExactString> = []
            let isWhole = try await feed.read(from: place.text) { rows in
                for row in rows where row.isOfDocument {
                    told.insert(ExactString(row.id))
                    guard row.isDeleted || !row.removed.isEmpty else { continue }
                    sight.losses.append(.init(id: row.id, channels: row.removed, number: row.number))
                }
                return true
            }
            let open = held.subtracting(sight.channels).subtracting(sight.later.keys)
            if isWhole, !sight.channels.contains(ChannelAccess.everything), open.count <= Self.roleChannels {
                sight.channels.formUnion(try await seen(of: open, at: reached, told, by: feed))
            }
            sight.losses = try await located(try await untold(sight), from: place.text, in: held, by: feed)
            return .told(sight)
        } catch let error as LoginError {
            return error.code == .unavailable ? noteOutage() : .told(UpstreamSight())
        }
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
        _ losses: [UpstreamSight.Loss], from place: String, in held: Set<String>, by feed: UpstreamFeed
    ) async throws(LoginError) -> [UpstreamSight.Loss] {
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

    private func noteOutage() -> SightAnswer {
        noteOutage(clock.seconds) == .unavailable ? .unavailable : .lost
    }
}
