package import Access
import Documents

extension UpstreamCheckpoints {
    /// The result of a request for a client's visibility on upstream.
    package enum VisibilityAnswer: Sendable, Equatable {
        case told(UpstreamVisibility)
        /// Upstream is temporarily unavailable, or the pull lags behind: the client should retry.
        case unavailable
        /// The outage is so long that clients should not wait any more.
        case lost
    }

    /// A client's position in upstream's feed.
    package struct Place: Sendable {
        /// The position as in the client's checkpoint.
        package let text: String

        /// The sequence up to which the client has every document; `nil` if the position is not a number.
        package let reached: Int64?

        /// The highest sequence of a grant whose channel's documents up to ``reached`` the client has received. Higher than ``reached`` if the
        /// client is among the older documents of a channel that was granted later.
        package let granted: Int64?

        package init(text: String, reached: Int64?, granted: Int64? = nil) {
            self.text = text
            self.reached = reached
            self.granted = granted ?? reached
        }
    }

    /// The maximum number of channels requested to find the channels granted by roles, and to find the channels of deleted documents.
    private static let roleChannels = 20
    private static let channels = 200

    /// The maximum length of a position in a request, in bytes. Sync Gateway's positions are three numbers at most.
    private static let length = 64

    /// The state of the bridge's pull of upstream's feed, for comparison with a client's feed there.
    package struct Pull {
        /// The sequence up to which the store has everything; `nil` if unknown.
        package var pulled: () async throws -> Int64?

        /// Waits for a limited time until the store has everything up to a sequence. Returns whether it has.
        package var wait: (Int64) async throws -> Bool

        /// Selects the losses that our own feed would not send to a client with this visibility.
        package var untold: (UpstreamVisibility) async throws -> [UpstreamVisibility.Loss]

        package init(
            pulled: @escaping () async throws -> Int64? = { nil }, wait: @escaping (Int64) async throws -> Bool = { _ in true },
            untold: @escaping (UpstreamVisibility) async throws -> [UpstreamVisibility.Loss] = { $0.losses }
        ) {
            self.pulled = pulled
            self.wait = wait
            self.untold = untold
        }
    }

    /// Determines the channels of which a client has every document up to a position, and the documents it has to lose after it. Uses the client's
    /// own credentials.
    ///
    /// - Sync Gateway reports the start of the user's own channels.
    /// - It does not report channels of roles. If they were granted after the position, the feed from there shows it, because it goes back for the
    ///   whole channel.
    /// - The feed also contains the documents that the client has to lose.
    ///
    /// The two feeds are comparable only if the store has everything that upstream has sent to the client or will remove from it. So a client that
    /// is ahead of the pull waits for it.
    ///
    /// - Parameters:
    ///   - user: The user here; `nil` for the guest. If upstream has another user for the credentials, nothing is visible.
    ///   - held: The channels that are accessible to the user here.
    ///   - seesEverything: Whether all documents are accessible to the user here, so that his feed contains all losses anyway.
    package func sight(
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
            return error.code == .unavailable ? recordOutage() : .told(UpstreamVisibility())
        }
    }

    /// Reads upstream's feed after the client's position.
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

    /// The channels whose documents the client has: those with documents up to the position that the feed from the position does not contain. The
    /// feed contains all documents of a channel granted after the position.
    private func seen(
        of channels: Set<String>, at reached: Int64, _ told: Set<ExactString>, by feed: UpstreamFeed
    ) async throws(LoginError) -> Set<String> {
        var seen: Set<String> = []
        for channel in channels.sorted() {
            // For a channel without access, upstream returns no documents.
            let documents = try await feed.first(of: channel).filter { $0.number.map { $0 <= reached } ?? false }
            if documents.contains(where: { !told.contains(ExactString($0.id)) }) { seen.insert(channel) }
        }
        return seen
    }

    /// Adds to each deleted document one of the user's channels, which the feed does not contain.
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

    private func recordOutage() -> VisibilityAnswer {
        recordOutage(clock.uptimeSeconds) == .unavailable ? .unavailable : .lost
    }
}

extension UpstreamVisibility {
    init(_ session: UpstreamSession, at place: UpstreamCheckpoints.Place) {
        guard let grants = session.grants else {
            self.init(channels: [ChannelAccess.everything])
            return
        }
        self.init()
        own = session.channels
        for (channel, granted) in grants {
            if let given = place.granted, granted <= given { channels.insert(channel) } else { later[channel] = granted }
        }
    }
}
