import Access
import Documents
import Gateway
import HTTP
import HTTPTypes
import HummingbirdCore
import LegacyProtocol
import Logging
import Storage

/// A `_local/` document that may stand on the server that the client comes from (docs/protocol/model.md#inherited-checkpoints).
struct InheritedDocument {
    let call: LegacyCall
    let upstream: UpstreamCheckpoints

    /// The document that counts: the one here, or upstream's.
    ///
    /// - Parameter current: What is here.
    /// - Throws: ``LegacyError``, 503, if there is nothing here and upstream cannot be asked just now: every 1.x client comes back then, and would
    ///   begin at zero after 404.
    func resolved(_ current: LocalDocument?) async throws -> LocalDocument? {
        let path = LocalDocumentInput.prefix + PercentEncoding.encodePathSegment(call.documentID)
        let found: LocalDocument?
        switch await upstream.fetch(path, with: credentials, mayRest: current.map { Self.keepsHistory($0) } ?? false) {
        case .found(let json):
            found = try await call.keyspace.inherit(document(json), id: call.documentID, replacing: current)
        case .missing:
            found = current == nil ? nil : try await call.keyspace.inherit(nil, id: call.documentID, replacing: current)
        case .known:
            found = current
        case .unavailable where current == nil:
            throw Self.unavailable
        case .loop where ViaHeader.current.ids.count > 1:
            // A bridge asks, whose replication ends with this.
            throw LegacyError(.loop, "The old servers of bridges lead in a circle; correct the `remote` of one of them")
        case .lost, .unavailable, .loop:
            return current
        }
        if let found { try await fetchVisibleChannels(at: found) }
        return found
    }

    /// Learns, before the client reads its feed from the place that its checkpoint names, which channels it has seen up to there, and which documents it is
    /// to lose.
    private func fetchVisibleChannels(at checkpoint: LocalDocument) async throws {
        // What the client has written here since is a place of ours, or one of its own database.
        guard let inherited = checkpoint.upstreamRevision, Self.number(inherited) == checkpoint.revision,
            let text = Keyspace.place(in: checkpoint),
            case .elsewhere(let place)? = try? SequencePosition.parse(text, try await call.keyspace.ownSequences()),
            let (channels, seesEverything) = try await call.keyspace.untrackedChannels(at: place)
        else { return }
        var start: SequenceNumber?
        let pull = UpstreamCheckpoints.Pull {
            try await call.keyspace.pulledUpstream()
        } wait: { number in
            try await isPulled(upTo: number)
        } untold: { sight in
            // What the device had seen has to be in sight here before it is compared with what is told here.
            if let own = sight.own { try await call.keyspace.grantUpstream(own) }
            start = try await call.keyspace.start(from: place)
            return try await call.keyspace.untold(sight, behind: place)
        }
        let there = UpstreamCheckpoints.Place(text: text, reached: place.reached, granted: place.granted)
        let answer = try await upstream.sight(
            of: call.keyspace.principal.userName, at: there, holding: channels, seesEverything: seesEverything, with: credentials,
            beside: pull)
        switch answer {
        case .told(let sight):
            try await call.keyspace.learn(sight, at: place, from: start)
            if let told = sight.told { try await call.keyspace.silence(allBut: told, at: place) }
        case .unavailable: throw Self.unavailable
        case .lost: break
        }
    }

    /// How long a device is kept waiting for the pull before it is told to come again, and how often the pull is looked at meanwhile.
    private static let patience = Duration.seconds(10)
    private static let interval = Duration.milliseconds(200)

    /// Waits until everything is here up to a number of upstream's feed; `false` if that takes long.
    private func isPulled(upTo number: Int64) async throws -> Bool {
        let end = ContinuousClock.now + Self.patience
        repeat {
            if let pulled = try await call.keyspace.pulledUpstream(), pulled >= number { return true }
            // The pull's place moves on without a commit of documents where a batch has nothing new, so there is no event to wait for.
            try await Task.sleep(for: Self.interval)
        } while ContinuousClock.now < end
        return false
    }

    private static var unavailable: LegacyError {
        LegacyError(.unavailable, "The server that keeps this checkpoint cannot be reached; try again later")
    }

    /// Whether a checkpoint tells of earlier ones, as CouchDB's and PouchDB's do. These find the place that both sides know by themselves, and ask for
    /// it before each write.
    private static func keepsHistory(_ document: LocalDocument) -> Bool {
        (try? JSONValue(document.body))?["history"]?.array != nil
    }

    /// The client's own: what it sent us, and nothing if it sent nothing.
    private var credentials: UpstreamLogin.Credentials? {
        if let header = call.request.headers[.authorization] {
            return BasicCredentials(authorization: header).map { .basic(user: $0.user, password: Secret($0.password)) }
        }
        return CookieHeader(call.request.headers[values: .cookie])[upstream.cookieName].map { .cookie(Secret($0)) }
    }

    /// Upstream's answer; `nil` if it cannot be kept.
    private func document(_ json: [UInt8]) -> LocalDocument? {
        guard json.count <= call.limits.localDocumentSize,
            let input = try? LocalDocumentInput(json[...], depth: call.limits.depth), let revision = input.revision
        else {
            call.logger.warning("the legacy upstream has a checkpoint that cannot be used", metadata: ["keyspace": "\(call.keyspace.name)"])
            return nil
        }
        return LocalDocument(revision: Self.number(revision), body: input.body, modified: 0, upstreamRevision: revision)
    }

    /// The number of `0-5`, and of `5-local`, Couchbase Lite's listener's.
    static func number(_ revision: String) -> Int64 {
        let parts = revision.split(separator: "-", maxSplits: 1)
        let digits = parts.first == "0" ? parts.last : parts.first
        return digits.flatMap { Int64($0) }.map { max(1, min($0, 1 << 52)) } ?? 1
    }
}
