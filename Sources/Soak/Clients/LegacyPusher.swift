import Documents
import Peers

/// A 1.x client that pushes as fast as it is let: `_revs_diff` and `_bulk_docs`.
struct LegacyPusher: SoakClient {
    let name = "1.x push"
    private static let batch = 20

    private let world: World
    private let documents: PushedDocuments
    private let peer: LegacyPeer

    init(_ world: World, _ account: Account, _ documents: PushedDocuments) {
        self.world = world
        self.documents = documents
        peer = LegacyPeer(world.url, credentials: account.credentials, client: world.http())
    }

    func live() async throws {
        while world.isWriting { try await documents.push(Self.batch, in: world) { try await peer.push($0.map(\.revision)) } }
    }
}
