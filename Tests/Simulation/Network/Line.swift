import Access
import Documents
import TestSupport

/// The way from a client to a server for one replication: counts what passes, and fails where it was told to.
final class Line {
    /// What becomes of a message.
    enum Fate {
        case delivered
        case lost
        case unanswered
        case repeated
    }

    /// Something that happens elsewhere while the replication is under way.
    struct Interlude {
        /// Before which message, beginning with 0.
        let position: Int
        let run: () async throws -> Void
    }

    let server: Node
    let ledger: Ledger
    var traffic = Traffic()
    private let reader: Reader?
    private let fault: Fault?
    private var interlude: Interlude?
    private var count = 0

    /// The channels that its reader has had since it began; `nil` for all.
    private var channels: Set<String>?

    /// - Parameter reader: who the client logs in as; `nil` for somebody who may see everything.
    init(to server: Node, as reader: Reader? = nil, ledger: Ledger, fault: Fault?, interlude: Interlude? = nil) {
        self.server = server
        self.reader = reader
        self.ledger = ledger
        self.fault = fault
        self.interlude = interlude
        channels = reader?.channels
    }

    /// Whether something is to go wrong on it.
    var isFaulty: Bool { fault != nil }

    /// Whether its reader may not see everything.
    var isLimited: Bool { reader != nil }

    var principal: Principal { reader.map { .user($0.name) } ?? .administrator }

    /// The fate of the next message.
    func next() async throws -> Fate {
        defer { count += 1 }
        if let interlude, interlude.position == count {
            self.interlude = nil
            try await interlude.run()
            channels?.formUnion(reader?.channels ?? [])
        }
        guard let fault, !fault.isCrash, fault.position == count else { return .delivered }
        ledger.happen(fault.kind.happening)
        switch fault.kind {
        case .lost: return .lost
        case .unanswered: return .unanswered
        case .repeated: return .repeated
        case .crashBeforeCommit, .crashAfterCommit: return .delivered
        }
    }

    /// Whether nothing has happened meanwhile because the replication was too short.
    var awaitsInterlude: Bool { interlude != nil }

    func noteAcknowledged(_ revision: String, at place: Place, to client: String) {
        ledger.acknowledge(revision, at: place, to: client, by: server.name)
    }

    /// Notes that the server wants what its client has not changed since they had it both: it takes that for something else.
    func noteUnneeded(_ revision: String, at place: Place, from client: String) {
        // Of what its user may not see the server does not tell that it has it.
        guard !isLimited else { return }
        ledger.noteUnneeded(revision, at: place, from: client, by: server.name)
    }

    func noteVersion(_ offer: Offer, seen: Set<Content>?, at place: Place, to client: String) {
        let acknowledgement = Ledger.Acknowledgement(client: client, server: server.name, place: place, revision: offer.revision)
        ledger.note(Ledger.PushedVersion(acknowledgement: acknowledgement, content: offer.content, seen: seen))
    }

    func noteRepetition(of revision: String, at place: Place, to client: String) {
        ledger.noteRepetition(of: revision, at: place, to: client, by: server.name)
    }

    /// Notes what has come to a client, and looks whether it may see it.
    func recordFirstLogin(of content: Content, at place: Place, to client: String) {
        ledger.recordUpstreamShown(content, at: place, by: server.name)
        guard let channels, let channel = content.channel, !AccessModel.shows([channel], to: channels) else { return }
        ledger.noteLeak("\(place) (\(content)) came to \(client), who may see \(channels.sorted().joined(separator: ", "))")
    }
}
