import Access
import Documents
import ModernProtocol
import TestSupport

/// The connection from a client to a server for one replication: it counts the traffic, and injects the fault.
final class Line {
    /// The fate of a message.
    enum Fate {
        case delivered
        case lost
        case unanswered
        case repeated
    }

    /// An event elsewhere during the replication.
    struct Interlude {
        /// The message before which it occurs, from 0 on.
        let position: Int
        let run: () async throws -> Void
    }

    let server: Node
    let ledger: Ledger
    var traffic = Traffic()
    private let reader: Reader?
    private let fault: Fault?
    private let balance: Balance
    private var interlude: Interlude?
    private var count = 0

    /// The process that got the last message.
    private var site: Site?

    /// Whether the load balancer has closed a WebSocket, so that its client goes on at another bridge.
    private(set) var hasMoved = false

    /// The channels that its reader has had since the start; `nil` for all.
    private var channels: Set<String>?

    /// - Parameter reader: The client's user; `nil` for full access.
    ///   - balance: The bridges that get its messages.
    init(
        to server: Node, as reader: Reader? = nil, ledger: Ledger, fault: Fault?, interlude: Interlude? = nil,
        balance: Balance = Balance(first: 0)
    ) {
        self.server = server
        self.balance = balance
        self.reader = reader
        self.ledger = ledger
        self.fault = fault
        self.interlude = interlude
        channels = reader?.channels
    }

    /// Whether a fault is scheduled.
    var isFaulty: Bool { fault != nil }

    /// Whether its reader may not see everything.
    var isLimited: Bool { reader != nil }

    var principal: Principal { reader.map { .user($0.name) } ?? .administrator }

    /// Whether the process that got the last message has died.
    var isDown: Bool { site?.store.isDead ?? false }

    /// Whether it cannot reach its store.
    var isCutOff: Bool { site?.store.isCutOff ?? false }

    /// The process for the present message.
    private func chooseSite() -> Site {
        let site = server.site(balance.bridge(of: max(0, count - 1)))
        self.site = site
        return site
    }

    /// The 1.x side of the process for the present request.
    func responder() -> Responder { server.responder(for: principal, at: chooseSite()) }

    /// Connects a WebSocket to a process.
    func serve(_ socket: Pipe, _ subprotocol: Subprotocol) -> Task<Void, Never> {
        server.serve(socket, as: principal, subprotocol, at: chooseSite())
    }

    /// The fate of the next message of a WebSocket, which ends where the load balancer chooses another bridge.
    func nextOfSocket() async throws -> Fate {
        if server.isShared, case .before(let moment) = balance.change, moment == count {
            hasMoved = true
            throw Disconnected()
        }
        return try await next()
    }

    /// The fate of the next message.
    func next() async throws -> Fate {
        defer { count += 1 }
        if let interlude, interlude.position == count {
            self.interlude = nil
            try await interlude.run()
            channels?.formUnion(reader?.channels ?? [])
        }
        guard let fault, !fault.isAtCommit, fault.position == count else { return .delivered }
        ledger.happen(fault.kind.happening)
        switch fault.kind {
        case .lost: return .lost
        case .unanswered: return .unanswered
        case .repeated: return .repeated
        case .cutAtMessage:
            server.store.cutAll()
            return .delivered
        case .crashBeforeCommit, .crashAfterCommit, .cutBeforeCommit, .cutAfterCommit, .lostCommit, .unknownCommit: return .delivered
        }
    }

    /// Whether the event did not occur because the replication was too short.
    var awaitsInterlude: Bool { interlude != nil }

    func recordAcknowledged(_ revision: String, at place: Place, to client: String) {
        ledger.acknowledge(revision, at: place, to: client, by: server.name)
    }

    /// Records that the server requests a revision that its client has not changed since both had it: the server does not recognise it.
    func recordUnneeded(_ revision: String, at place: Place, from client: String) {
        // The server's reply does not disclose documents that the user may not see.
        guard !isLimited else { return }
        ledger.recordUnneeded(revision, at: place, from: client, by: server.name)
    }

    func recordVersion(_ offer: Offer, seen: Set<Content>?, at place: Place, to client: String) {
        let acknowledgement = Ledger.Acknowledgement(client: client, server: server.name, place: place, revision: offer.revision)
        ledger.record(Ledger.PushedVersion(acknowledgement: acknowledgement, content: offer.content, seen: seen))
    }

    func recordRepetition(of revision: String, at place: Place, to client: String) {
        ledger.recordRepetition(of: revision, at: place, to: client, by: server.name)
    }

    /// Records a document that a client received, and checks its access.
    func recordFirstLogin(of content: Content, at place: Place, to client: String) {
        ledger.recordUpstreamShown(content, at: place, by: server.name)
        guard let channels, let channel = content.channel, !AccessModel.shows([channel], to: channels) else { return }
        ledger.recordLeak("\(place) (\(content)) came to \(client), who may see \(channels.sorted().joined(separator: ", "))")
    }
}
