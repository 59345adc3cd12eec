import BLIP
import ModernProtocol
import ModernServer
import ModernTestSupport
import Testing

@Suite("Checkpoints", .timeLimit(.minutes(5)))
struct CheckpointTests {
    @Test("A checkpoint is missing, is set, is read unchanged, and is set again only with its revision")
    func lives() async throws {
        let bridge = try await TestBridge()
        try await bridge.connect { peer in
            let missing = try await peer.ask("getCheckpoint", ["client": "cp-/+="])
            #expect(missing.errorDomain == "HTTP" && missing.errorCode == 404)
            let stray = try await peer.ask("setCheckpoint", ["client": "cp-/+=", "rev": "0-1"], "{}")
            #expect(stray.errorCode == 404)
            let first = try await peer.ask("setCheckpoint", ["client": "cp-/+=", "rev": ""], #"{"time":1,"remote": 2}"#)
            #expect(first.properties["rev"] == "0-1")
            let conflict = try await peer.ask("setCheckpoint", ["client": "cp-/+="], "{}")
            #expect(conflict.errorCode == 409)
            let second = try await peer.ask("setCheckpoint", ["client": "cp-/+=", "rev": "0-1"], #"{"time":2,"remote": 3}"#)
            #expect(second.properties["rev"] == "0-2")
            let read = try await peer.ask("getCheckpoint", ["client": "cp-/+="])
            #expect(read.properties["rev"] == "0-2" && read.body == Array(#"{"time":2,"remote": 3}"#.utf8))
        }
    }

    @Test("A body that cannot be a checkpoint is refused with 400", arguments: ["", "{", "[]", "1"])
    func refuses(body: String) async throws {
        let bridge = try await TestBridge()
        try await bridge.connect { peer in
            let reply = try await peer.ask("setCheckpoint", ["client": "cp"], body)
            #expect(reply.errorDomain == "HTTP" && reply.errorCode == 400)
            let nameless = try await peer.ask("getCheckpoint")
            #expect(nameless.errorCode == 400)
        }
    }
}
