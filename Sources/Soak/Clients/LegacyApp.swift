import Coordination
import Documents
import Peers

/// A 1.x app that replicates from time to time: one-shot pushes, and pulls with the normal feed.
struct LegacyApp: SoakClient {
    let name = "1.x normal"
    private let world: World
    private let holding: Holding
    private let documents: PushedDocuments
    private let pause: ClosedRange<Double>
    private let peer: LegacyPeer

    var followed: Holding? { holding }

    init(_ world: World, _ holding: Holding, _ documents: PushedDocuments, pause: ClosedRange<Double>) {
        self.world = world
        self.holding = holding
        self.documents = documents
        self.pause = pause
        peer = LegacyPeer(world.url, credentials: holding.account.credentials, client: world.http())
    }

    func live() async throws {
        while true {
            try await documents.push(1, in: world) { try await peer.push($0.map(\.revision)) }
            try await peer.pull()
            for (id, document) in await peer.documents { holding.record(id.string, document.revision.text) }
            try await suspend(for: .seconds(Double.random(in: pause)))
        }
    }
}

/// A 1.x client that pushes as fast as possible with `_revs_diff` and `_bulk_docs`.
struct LegacyPusher: SoakClient {
    let name = "1.x push"
    private static let batch = 20

    private let world: World
    private let documents: PushedDocuments
    private let peer: LegacyPeer

    init(_ world: World, _ account: SoakAccount, _ documents: PushedDocuments) {
        self.world = world
        self.documents = documents
        peer = LegacyPeer(world.url, credentials: account.credentials, client: world.http())
    }

    func live() async throws {
        while world.isWriting { try await documents.push(Self.batch, in: world) { try await peer.push($0.map(\.revision)) } }
    }
}
