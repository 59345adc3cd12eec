import Access
import BLIP
import Documents
import Foundation
import Gateway
import ModernProtocol
import ModernServer
import ModernTestSupport
import Testing

/// Replays a recorded client's messages to a session.
enum Replay {
    /// The session's messages, by kind and number.
    private struct Received {
        var replies: [UInt64: BLIPMessage] = [:]
        var requests: [UInt64: BLIPMessage] = [:]

        func has(_ line: Capture.Line) -> Bool {
            line.isRequest ? requests[line.number] != nil : replies[line.number] != nil
        }
    }

    /// Sends the client's recorded frames, each when the session has sent the messages that the recorded server had sent by then.
    ///
    /// - Parameter offer: The subprotocols of the client's handshake, which the recording does not contain.
    static func frames(_ name: String, on bridge: TestBridge, _ subprotocol: Subprotocol = .v3, offer: [String] = []) async throws {
        let capture = try Capture(name)
        let (ours, theirs) = await SocketEnd.pair()
        async let session: Void = bridge.listener.serve(
            ours, database: bridge.database, principal: .administrator, subprotocol: subprotocol,
            client: ClientDescription(hasRevisionTrees: ModernListener.hasRevisionTrees(offer)))
        // Tracks outstanding replies and decodes received frames. Its own frames are not sent.
        let shadow = BLIPConnection()
        var received = Received()
        for (index, line) in capture.lines.enumerated() where line.isClient {
            let before = capture.lines[..<index].filter { !$0.isClient }
            try await listen(theirs, shadow, &received, until: before)
            if line.isRequest, line.isLast { _ = try shadow.send(request: line.request()) }
            while shadow.nextFrame() != nil {}
            try await theirs.send([try #require(line.frame)])
        }
        let all = capture.lines.filter { !$0.isClient }
        try await listen(theirs, shadow, &received, until: all)
        for line in all {
            if line.isReply, let reply = received.replies[line.number] { Capture.compare(reply, with: line) }
            guard line.isRequest, let request = received.requests[line.number] else { continue }
            for key in ["Profile", "digest", "docID", "collection"] { #expect(request.properties[key] == line.properties?[key]) }
        }
        await theirs.close(code: 1000, reason: "")
        await session
    }

    private static func listen(
        _ socket: SocketEnd, _ shadow: BLIPConnection, _ received: inout Received, until lines: [Capture.Line]
    ) async throws {
        while !lines.allSatisfy(received.has) {
            let frames = try #require(try await socket.receive())
            for frame in frames {
                switch try shadow.receive(frame) {
                case .reply(let reply): received.replies[reply.number] = reply
                case .request(let request): received.requests[request.number] = request
                case .replyPart, nil: break
                }
            }
        }
    }

    /// Sends the client's messages with this store's sequences in place of the recorded ones, and compares the pulled revisions.
    ///
    /// - Parameter sequences: This store's sequence of the same revision, by recorded sequence.
    static func messages(
        _ name: String, on bridge: TestBridge, _ subprotocol: Subprotocol = .v3, sequences: inout [String: String]
    ) async throws {
        let capture = try Capture(name)
        let known = try knowledge(capture)
        let given = sequences
        let changes = capture.requests(fromClient: false, "changes")
        let revisions = capture.requests(fromClient: false, "rev")
        let markers = changes.count { $0.body == "null" }
        let received = try await bridge.connect(subprotocol) { peer in
            await peer.configure { $0.known = known }
            for line in capture.requests(fromClient: true) where line.profile != "getAttachment" {
                if line.profile == "setCheckpoint" {
                    try await peer.wait { $0.caughtUp == markers && $0.revisions.count == revisions.count }
                }
                let since = line.properties?["since"].flatMap { given[$0] }
                let request = line.request(replacing: since.map { ["since": $0] } ?? [:])
                guard let recorded = capture.reply(to: line.number) else {
                    try await peer.send(request)
                    continue
                }
                let reply = try await peer.ask(request)
                Capture.compare(reply, with: recorded)
            }
            return (await peer.changes, await peer.revisions)
        }
        try compare(received.0, with: changes, &sequences)
        compare(received.1, with: revisions)
    }

    /// The revisions that the recorded client had, by its replies to `changes`.
    private static func knowledge(_ capture: Capture) throws -> [String: [String]] {
        var known: [String: [String]] = [:]
        for line in capture.requests(fromClient: false, "changes") where line.body != "null" {
            let rows = try JSONValue(Array((line.body ?? "").utf8)).array ?? []
            let answer = capture.lines.first { $0.isClient && $0.isReply && $0.number == line.number }
            let items = try JSONValue(Array((answer?.body ?? "[]").utf8)).array ?? []
            for (row, item) in zip(rows, items) {
                guard let id = row.array?[1].string, let revision = row.array?[2].string else { continue }
                let key = "\(line.properties?["collection"] ?? "")/\(id)"
                known[key] = item.array.map { $0.compactMap(\.string) } ?? [revision]
            }
        }
        return known
    }

    private static func compare(_ received: [TestPeer.Changes], with recorded: [Capture.Line], _ sequences: inout [String: String]) throws {
        var ours: [String: String] = [:]
        for changes in received {
            for row in changes.rows {
                let flags = row.count > 3 ? "\(row[3])" : ""
                ours["\(changes.collection ?? "") \(row[1].string ?? "") \(row[2].string ?? "") \(flags)"] = row[0].int.map(String.init)
            }
        }
        var theirs: Set<String> = []
        for line in recorded where line.body != "null" {
            for row in try JSONValue(Array((line.body ?? "").utf8)).array?.compactMap(\.array) ?? [] {
                let flags = row.count > 3 ? "\(row[3])" : ""
                let key = "\(line.properties?["collection"] ?? "") \(row[1].string ?? "") \(row[2].string ?? "") \(flags)"
                theirs.insert(key)
                if let sequence = row[0].int, let our = ours[key] { sequences[String(sequence)] = our }
            }
        }
        #expect(Set(ours.keys) == theirs)
    }

    private static func compare(_ received: [TestPeer.Arrived], with recorded: [Capture.Line]) {
        #expect(received.count == recorded.count)
        for line in recorded {
            let same = received.first { $0.id == line.properties?["id"] && $0.properties["collection"] == line.properties?["collection"] }
            for key in ["rev", "deleted", "history"] { #expect(same?.properties[key] == line.properties?[key]) }
            #expect(same?.noReply == line.noReply)
            #expect(same.flatMap { Capture.json($0.text) } == Capture.json(line.body ?? ""))
        }
    }
}
