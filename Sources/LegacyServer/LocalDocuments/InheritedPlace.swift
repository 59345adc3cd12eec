import Access
import Authentication
import Coordination
import Gateway
import HummingbirdCore
import Storage

/// The position in the old server's feed up to which a client has read there, and from which it goes on here.
struct InheritedPlace: Sendable {
    private let keyspace: Keyspace
    private let upstream: UpstreamCheckpoints
    private let credentials: UpstreamLogin.Credentials?

    /// The bridges that the client's request has passed.
    private let trail = ViaHeader.current

    /// - Parameters:
    ///   - keyspace: The unified keyspace, as the client sees it.
    ///   - credentials: The client's own, for upstream; `nil` if it has sent none.
    init(in keyspace: Keyspace, from upstream: UpstreamCheckpoints, with credentials: UpstreamLogin.Credentials?) {
        self.keyspace = keyspace
        self.upstream = upstream
        self.credentials = credentials
    }

    /// - Returns: `nil` without an old server, or where it cannot have the feed.
    init?(of call: LegacyCall) {
        guard let upstream = call.upstream, call.keyspace.scope == .unified else { return nil }
        self.init(
            in: call.keyspace, from: upstream, with: InheritedDocument.credentials(in: call.request.headers, upstream))
    }

    /// Before the client reads its feed from a position of upstream's, determines which channels it could read there up to that position, and
    /// which documents it has to lose. Does nothing for other positions, and for positions that are known already.
    ///
    /// - Throws: `GatewayError` with code `unavailable` if upstream cannot be asked, or the pull lacks documents that the client has.
    func prepare(_ text: String) async throws {
        guard case .elsewhere(let place)? = try? SequencePosition.parse(text, try await keyspace.ownSequences()),
            let (channels, seesEverything) = try await keyspace.untrackedChannels(at: place)
        else { return }
        try await ViaHeader.$current.withValue(trail) { try await learn(place, text, holding: channels, seesEverything: seesEverything) }
    }

    private func learn(_ place: UpstreamSequence, _ text: String, holding channels: Set<String>, seesEverything: Bool) async throws {
        var start: SequenceNumber?
        let pull = UpstreamCheckpoints.Pull {
            try await keyspace.pulledUpstream()?.reached
        } wait: { number in
            try await isPulled(upTo: number)
        } untold: { sight in
            // The channels that the device could read must be granted here before its documents are compared with those announced here.
            if let own = sight.own { try await keyspace.grantUpstream(own) }
            start = try await keyspace.start(from: place)
            return try await keyspace.untold(sight, behind: place)
        }
        let there = UpstreamCheckpoints.Place(text: text, reached: place.reached, granted: place.granted)
        let answer = try await upstream.sight(
            of: keyspace.principal.userName, at: there, holding: channels, seesEverything: seesEverything, with: credentials,
            beside: pull)
        switch answer {
        case .told(let sight):
            try await keyspace.learn(sight, at: place, from: start)
            if let told = sight.told { try await keyspace.silence(allBut: told, at: place) }
        case .unavailable: throw Self.unavailable
        case .lost: break
        }
    }

    /// How long a device waits for the pull before it gets 503, and the interval at which the pull is checked meanwhile.
    private static let pullTimeout = Duration.seconds(10)
    private static let pullCheckInterval = Duration.milliseconds(200)

    /// Waits until the pull is done up to a number of upstream's feed; `false` after a timeout.
    private func isPulled(upTo number: Int64) async throws -> Bool {
        let end = ContinuousClock.now + Self.pullTimeout
        repeat {
            if let pulled = try await keyspace.pulledUpstream()?.reached, pulled >= number { return true }
            // The pull's position may advance without a commit of documents, if a batch has nothing new; so there is no event to wait for.
            try await suspend(for: Self.pullCheckInterval)
        } while ContinuousClock.now < end
        return false
    }

    static var unavailable: GatewayError {
        GatewayError(.unavailable, "The server that stores this checkpoint cannot be reached; try again later")
    }
}
