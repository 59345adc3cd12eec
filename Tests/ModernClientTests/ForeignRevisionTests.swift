import BLIP
import Documents
import Gateway
import ModernTestSupport
import Storage
import Testing

@testable import ModernClient

@Suite("A push of revisions with foreign IDs", .timeLimit(.minutes(2)))
struct ForeignRevisionTests {
    /// Sync Gateway stores `1-xyz` under this ID, and does not know the alias under which a 2.x+ client proposes it.
    @Test("A revision that the server has under its own ID is neither sent nor reported as pushed", arguments: [true, false])
    func pulledBefore(saysWhich: Bool) async throws {
        let pair = try await ReplicationPair()
        let id = try #require(RevisionID("1-xyz"))
        _ = try await pair.here.write(
            RevisionWrite(id: "doc", kind: .replicated(history: [id], conflicts: .branch), isDeleted: false, body: Array("{}".utf8)))
        let server = Server()
        let config = ReplicatorConfiguration(
            database: pair.local.app,
            target: MessageEndpoint(uid: "there") {
                let (ours, theirs) = await SocketEnd.pair()
                let scripted = ScriptedServer(theirs) { message in
                    guard message.profile == "proposeChanges", !message.noReply else { return ScriptedServerTests.obliging(message) }
                    let body = saysWhich ? #"[{"status":409,"rev":"1-xyz"}]"# : "[304]"
                    return [.reply(to: message.number, body: Array(body.utf8))]
                }
                await server.set(scripted)
                return ours
            })
        for _ in 0..<2 {
            let (status, documents) = try await pair.run(config)
            #expect(status.error == nil && documents == [])
        }
        #expect(await server.profiles.filter { $0 == "proposeChanges" }.count >= 1)
        #expect(await !server.profiles.contains("rev"))
    }

    private actor Server {
        private var servers: [ScriptedServer] = []

        func set(_ server: ScriptedServer) {
            servers.append(server)
            Task { await server.run() }
        }

        var profiles: [String] {
            get async {
                var profiles: [String] = []
                for server in servers { profiles += await server.received.compactMap(\.profile) }
                return profiles
            }
        }
    }
}
