import Access
import BLIP
import Documents
import Gateway
import Logging
import ModernTestSupport
import Storage
import TestSupport
import Testing

@testable import ModernProtocol
@testable import ModernServer

@Suite("Sessions under load", .timeLimit(.minutes(5)))
struct PressureTests {
    @Test("With narrow limits, all pushed and pulled revisions still arrive")
    func keepsGoing() async throws {
        var bridge = try await TestBridge()
        bridge.limits.requests = 2
        bridge.limits.revisionsToWrite = 10
        bridge.limits.revisionsInTransaction = 3
        bridge.limits.revisionsInRead = 2
        bridge.limits.blip.maxQueuedBytes = 1_000
        bridge.limits.flushSize = 500
        try await bridge.connect { peer in
            let requests = (0..<300).map { Requests.rev("doc\($0)", Requests.revision(1, $0), "{\"n\":\($0)}") }
            let replies = try await peer.ask(all: requests)
            #expect(replies.allSatisfy { $0.type == .reply })
        }
        try await bridge.connect { peer in
            try await peer.ask("subChanges", ["batch": "10"])
            try await peer.wait { $0.caughtUp == 1 && $0.revisions.count == 300 }
        }
    }

    @Test("An idle connection releases its memory, and continues when there is work")
    func givesMemoryBack() async throws {
        let bridge = try await TestBridge()
        var limits = SessionLimits()
        limits.quietTime = .milliseconds(1)
        let (ours, theirs) = await SocketEnd.pair()
        let session = ModernSession(
            socket: ours, database: bridge.database, principal: .administrator, subprotocol: .v3, limits: limits,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let peer = TestPeer(theirs)
        async let serving: Void = session.run()
        async let reading: Void = peer.run()
        let text = String(repeating: "again and again ", count: 100)
        for number in 0..<5 {
            let reply = try await peer.ask(Requests.rev("doc\(number)", Requests.revision(1, number), "{\"text\":\"\(text)\"}"))
            #expect(reply.type == .reply)
            await session.waitUntilReleased()
        }
        try await peer.ask("subChanges", ["continuous": "true"])
        try await peer.wait { $0.revisions.count == 5 }
        await session.waitUntilReleased()
        await theirs.close(code: 1000, reason: "")
        _ = await (serving, reading)
    }

    @Test("The number of revisions that wait for attachments is limited with 503, after which the client sends them again")
    func boundsWaiting() async throws {
        var bridge = try await TestBridge()
        bridge.limits.revisionsAwaitingAttachments = 0
        try await bridge.connect { peer in
            let reply = try await peer.ask(Requests.rev("a", "1-aaaa", Requests.blob([1])))
            #expect(reply.errorDomain == "HTTP" && reply.errorCode == 503)
        }
    }

    @Test("A document over the limit is refused with 413, and the connection continues")
    func refusesLargeDocuments() async throws {
        let bridge = try await TestBridge { $0.limits.documentSize = 10_000 }
        try await bridge.connect { peer in
            let body = "{\"text\":\"" + String(repeating: "x", count: 10_000) + "\"}"
            let reply = try await peer.ask(Requests.rev("a", "1-aaaa", body))
            #expect(reply.errorDomain == "HTTP" && reply.errorCode == 413)
            let next = try await peer.ask(Requests.rev("a", "1-aaaa", "{}"))
            #expect(next.type == .reply)
        }
    }

    @Test("An attachment over the limit is refused with 413")
    func refusesLargeAttachments() async throws {
        let bridge = try await TestBridge { $0.limits.attachmentSize = 100_000 }
        try await bridge.connect { peer in
            let blob = [UInt8](repeating: 7, count: 200_000)
            await peer.configure { $0.blobs[AttachmentDigest.sha1(of: blob).description] = blob }
            let reply = try await peer.ask(Requests.rev("a", "1-aaaa", Requests.blob(blob)))
            #expect(reply.errorDomain == "HTTP" && reply.errorCode == 413)
        }
    }

    @Test("Push, pull and attachments run concurrently on one connection, and nothing is sent back")
    func runsBeside() async throws {
        let bridge = try await TestBridge()
        try await bridge.connect { peer in
            try await peer.ask("subChanges", ["continuous": "true"])
            var requests: [BLIPMessage] = []
            for index in 0..<200 {
                let id = "doc\(index)", revision = Requests.revision(1, index)
                await peer.configure { $0.known["/\(id)"] = [revision] }
                let blob = [UInt8](repeating: UInt8(index), count: 20_000)
                await peer.configure { $0.blobs[AttachmentDigest.sha1(of: blob).description] = blob }
                requests.append(Requests.rev(id, revision, index % 5 == 0 ? Requests.blob(blob) : "{}"))
            }
            let replies = try await peer.ask(all: requests)
            #expect(replies.allSatisfy { $0.type == .reply })
            _ = try await bridge.database.unified.write(
                RevisionWrite(
                    id: "other", kind: .replicated(history: [try #require(RevisionID("1-aaaa"))], conflicts: .branch), isDeleted: false,
                    body: Array("{}".utf8)))
            try await peer.wait { $0.revisions.count == 1 }
            #expect(await peer.revisions[0].id == "other")
        }
    }

    @Test("Clients that disconnect at any time leave nothing behind")
    func survivesLeaving() async throws {
        let bridge = try await TestBridge()
        for round in 0..<20 {
            try await bridge.connect { peer in
                try await peer.ask("subChanges", ["continuous": "true"])
                let blob = [UInt8](repeating: UInt8(round), count: 300_000)
                for index in 0..<20 {
                    try await peer.send(Requests.rev("doc\(round)-\(index)", "1-aaaa", index % 2 == 0 ? Requests.blob(blob) : "{}"))
                }
                if round % 2 == 0 { await peer.socket.drop() }
            }
        }
        let batch = try await bridge.database.unified.changes(ChangesQuery())
        #expect(batch.isCaughtUp)
    }
}

extension ModernSession {
    fileprivate func waitUntilReleased() async {
        await eventually { !connection.holdsMemory }
    }
}
