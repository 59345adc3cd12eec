import BLIP
import Coordination
import Documents
import Gateway
import Logging
import ModernTestSupport
import Testing

@testable import ModernClient
@testable import ModernProtocol

@Suite("Replication with a server that follows a script", .timeLimit(.minutes(2)))
struct ScriptedServerTests {
    /// Replicates once with a scripted server.
    private func run(
        _ pair: ReplicationPair, _ type: ReplicatorType, deltas: Bool = false, answer: @escaping ScriptedServer.Answer
    ) async throws -> (status: ReplicatorStatus, received: [BLIPMessage]) {
        let servers = Lock<[ScriptedServer]>([])
        let holder = Holder(servers)
        var configuration = ReplicatorConfiguration(
            target: MessageEndpoint(uid: "there") {
                let (ours, theirs) = await SocketEnd.pair()
                let server = ScriptedServer(theirs, answer: answer)
                holder.servers.withLock { $0.append(server) }
                Task { await server.run() }
                return ours
            })
        configuration.replicatorType = type
        configuration.maxAttempts = 1
        configuration.enableDeltaSync = deltas
        configuration.addCollection(pair.here)
        let replicator = try pair.replicator(configuration)
        await replicator.start()
        let status = await replicator.waitUntilStopped()
        var received: [BLIPMessage] = []
        for server in holder.servers.withLock({ $0 }) { received += await server.received }
        return (status, received)
    }

    private final class Holder: Sendable {
        let servers: Lock<[ScriptedServer]>
        init(_ servers: consuming sending Lock<[ScriptedServer]>) { self.servers = servers }
    }

    /// The replies of a server that is empty, accepts everything and never fails.
    static func obliging(_ message: BLIPMessage) -> [BLIPMessage] {
        guard message.type == .request, !message.noReply else { return [] }
        switch message.profile {
        case "getCheckpoint": return [.error(to: message.number, code: 404, message: "missing")]
        case "setCheckpoint": return [.reply(to: message.number, properties: ["rev": "0-1"])]
        case "subChanges": return [.reply(to: message.number), .request("changes", body: Array("null".utf8), noReply: true)]
        default: return [.reply(to: message.number)]
        }
    }

    @Test("A server that wants the default collection by name gets the name from the second connection on", arguments: [true, false])
    func namedDefault(isThere: Bool) async throws {
        let pair = try await ReplicationPair()
        try await pair.here.put("a", "{}")
        let (status, received) = try await run(pair, .pushAndPull) { message in
            guard message.type == .request, !message.noReply else { return [] }
            switch (message.profile, message.properties["collection"]) {
            case ("getCollections", nil): return [.reply(to: message.number, body: Array((isThere ? "[{}]" : "[null]").utf8))]
            case (_, nil):
                return [.error(to: message.number, domain: "HTTP", code: 400, message: "inappropriate use of the collection property.")]
            case ("subChanges", "0"):
                let end = BLIPMessage.request("changes", properties: ["collection": "0"], body: Array("null".utf8), noReply: true)
                return [.reply(to: message.number), end]
            default: return Self.obliging(message)
            }
        }
        #expect(status.error?.code == (isThere ? nil : .httpNotFound))
        #expect(
            received.first { $0.profile == "getCollections" }.map { String(decoding: $0.body, as: UTF8.self) }?.contains(#"["_default"]"#)
                == true)
        #expect(received.contains { $0.profile == "rev" && $0.properties["collection"] == "0" } == isThere)
    }

    private final class Running: Sendable {
        let replicator = Lock<Replicator?>(nil)
    }

    @Test(
        "A silent server does not delay a stopped replicator for more than its timeout",
        arguments: ["getCollections", "getAttachment", "setCheckpoint"])
    func silence(_ profile: String) async throws {
        let pair = try await ReplicationPair()
        let running = Running()
        let digest = AttachmentDigest.sha1(of: [1]).description
        var configuration = ReplicatorConfiguration(
            target: MessageEndpoint(uid: "there") {
                let (ours, theirs) = await SocketEnd.pair()
                let server = ScriptedServer(theirs) { message in
                    if message.profile == profile {
                        let replicator = running.replicator.withLock { $0 }
                        Task { await replicator?.stop() }
                        return []
                    }
                    switch message.profile {
                    case "getCollections": return [.reply(to: message.number, body: Array("[{}]".utf8))]
                    case "subChanges":
                        let rows = Array(#"[[1,"a","1-aaaa"]]"#.utf8)
                        return [.reply(to: message.number), .request("changes", properties: ["collection": "0"], body: rows)]
                    case nil where message.type == .reply:
                        guard String(decoding: message.body, as: UTF8.self).hasPrefix("[") else { return [] }
                        let names = profile == "getAttachment"
                        let set = #"{"_attachments":{"x":{"stub":true,"revpos":1,"length":1,"digest":"\#(digest)"}}}"#
                        let properties: BLIPProperties = ["collection": "0", "id": "a", "rev": "1-aaaa", "sequence": "1"]
                        return [.request("rev", properties: properties, body: Array((names ? set : "{}").utf8))]
                    default: return Self.obliging(message)
                    }
                }
                Task { await server.run() }
                return ours
            })
        configuration.replicatorType = .pull
        configuration.continuous = true
        configuration.addCollection(pair.here, as: CollectionName("sales.orders") ?? .default, config: .init())
        var limits = ReplicatorLimits()
        limits.stopTimeout = .seconds(7)
        limits.checkpointInterval = .seconds(3)
        let saves = profile == "setCheckpoint"
        let clock = StillClock(skips: { $0 == .seconds(7) || ($0 == .seconds(3) && saves) })
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let replicator = try Replicator(configuration: configuration, limits: limits, clock: clock, logger: logger)
        running.replicator.withLock { $0 = replicator }
        await replicator.start()
        let status = await replicator.waitUntilStopped()
        #expect(status.error == nil && clock.waits.all.contains(.seconds(7)))
    }

    @Test("A push sends LiteCore's messages")
    func recordedPush() async throws {
        let receiver = BLIPConnection()
        var recorded: [BLIPMessage] = []
        for line in try Capture("default-push").lines where line.isClient {
            if case .request(let message)? = try receiver.receive(try #require(line.frame)) { recorded.append(message) }
        }
        let pair = try await ReplicationPair()
        for message in recorded where message.profile == "rev" {
            let properties = message.properties
            let history = try RevisionHistory.parse(rev: try #require(properties["rev"]), history: properties["history"])
            _ = try await pair.here.write(
                RevisionWrite(
                    id: try #require(properties["id"]), kind: .replicated(history: history, conflicts: .branch),
                    isDeleted: properties["deleted"] == "1", body: message.body))
        }
        let (status, received) = try await run(pair, .push) { Self.obliging($0) }
        #expect(status.error == nil)
        let said = received.filter { $0.type == .request }
        #expect(said.map(\.profile) == recorded.map(\.profile))
        for (theirs, ours) in zip(recorded, said) {
            #expect(ours.noReply == theirs.noReply)
            #expect(ours.isUrgent == theirs.isUrgent)
            // The values that differ between databases.
            let varying: Set<String> = ["client", "sequence"]
            #expect(Set(ours.properties.dictionary.keys) == Set(theirs.properties.dictionary.keys))
            #expect(
                ours.properties.dictionary.filter { !varying.contains($0.key) }
                    == theirs.properties.dictionary.filter { !varying.contains($0.key) })
            if theirs.profile == "rev" { #expect(ours.body == theirs.body) }
            guard theirs.profile == "proposeChanges" else { continue }
            // The sizes are estimates.
            let rows = try [ours, theirs].map { try JSONValue($0.body).array?.map { $0.array?.prefix(3) } }
            #expect(rows[0] == rows[1])
        }
    }

    @Test("A pull sends LiteCore's requests and replies")
    func recordedPull() async throws {
        let capture = try Capture("default-pull")
        let pair = try await ReplicationPair()
        let offered = capture.requests(fromClient: false)
        let (status, received) = try await run(pair, .pull) { message in
            guard message.type == .request, message.profile == "subChanges" else {
                // After the reply to the rows: the revisions, after the caught-up marker.
                return message.type == .reply ? offered.dropFirst().map { $0.request() } : Self.obliging(message)
            }
            return [.reply(to: message.number), offered[0].request()]
        }
        #expect(status.error == nil)
        let said = received.filter { $0.type == .request }
        #expect(said.map(\.profile) == ["getCheckpoint", "subChanges", "setCheckpoint"])
        var asked = said[1].properties.dictionary
        #expect(asked.removeValue(forKey: "batch") != nil)
        #expect(
            asked == [
                "Profile": "subChanges", "sendReplacementRevs": "true", "versioning": "rev-trees", "activeOnly": "true",
                "revocations": "true",
            ])
        let answer = try #require(received.first { $0.type == .reply })
        #expect(String(decoding: answer.body, as: UTF8.self) == "[[],[],[],[]]")
        let checkpoint = try ReplicationCheckpoint(said[2].body)
        #expect(checkpoint.remote == "5")
        #expect(try await pair.here.state().count == 4)
    }

    @Test(
        "After an error of any status at any stage the replication ends, loses nothing, and continues with a working server",
        arguments: [
            "getCheckpoint", "subChanges", "proposeChanges", "rev", "setCheckpoint",
        ], [400, 401, 403, 404, 408, 409, 413, 429, 500, 502, 503, 504, 999])
    func statuses(_ stage: String, _ code: Int) async throws {
        let pair = try await ReplicationPair()
        try await pair.here.put("h", "{}")
        try await pair.there.put("t", "{}")
        let (status, received) = try await run(pair, .pushAndPull) { message in
            guard message.profile == stage else { return Self.obliging(message) }
            return [.error(to: message.number, code: code, message: "no")]
        }
        #expect(received.count < 40)
        #expect(status.activity == .stopped)
        if stage == "subChanges" || stage == "proposeChanges" { #expect(status.error?.code == .http(code)) }
        let isLost = stage == "rev" && [400, 401, 403, 404, 413, 500, 999].contains(code)
        try await pair.run(pair.configuration(), reset: isLost)
        #expect(try await pair.here.state() == pair.there.state())
    }

    @Test("Repeated, reordered, backward and malformed rows lose nothing")
    func oddRows() async throws {
        for body in [#"[[1,"a","1-aa"],[1,"a","1-aa"],[7,"b","1-bb"],[3,"a","1-aa"]]"#, #"[["x:y","a","1-aa"],[null,"b","1-bb"]]"#] {
            let pair = try await ReplicationPair()
            let (status, received) = try await run(pair, .pull) { message in
                if message.profile == "subChanges" { return [.reply(to: message.number), .request("changes", body: Array(body.utf8))] }
                guard message.type == .reply else { return Self.obliging(message) }
                let asked = (try? JSONValue(message.body))?.array ?? []
                let rows = (try? JSONValue(Array(body.utf8)))?.array ?? []
                var revisions: [BLIPMessage] = []
                for (row, item) in zip(rows, asked) where item.array != nil {
                    var sequence: [UInt8] = []
                    row.array?[0].append(to: &sequence)
                    let properties: BLIPProperties = [
                        "id": row.array?[1].string ?? "", "rev": row.array?[2].string ?? "",
                        "sequence": String(decoding: sequence, as: UTF8.self),
                    ]
                    revisions += [.request("rev", properties: properties, body: Array("{}".utf8), noReply: true)]
                }
                return revisions + revisions + [.request("changes", body: Array("[]".utf8), noReply: true)]
            }
            #expect(status.error == nil)
            #expect(status.progress.total == 2)
            #expect(try await pair.here.state() == ["a@1-aa {}", "b@1-bb {}"])
            #expect(received.filter { $0.profile == "setCheckpoint" }.count == 1)
        }
        for nonsense in ["{", "[[1]]", "[[1,2,3]]", #"[[1,"a"]]"#, "true"] {
            let pair = try await ReplicationPair()
            let (status, _) = try await run(pair, .pull) { message in
                guard message.profile == "subChanges" else { return Self.obliging(message) }
                return [.reply(to: message.number), .request("changes", body: Array(nonsense.utf8))]
            }
            #expect(status.error?.code == .remoteError)
        }
    }

    @Test("Lost access purges if auto-purge is on, and the pull filter runs before it")
    func removals() async throws {
        for (purges, keeps) in [(true, false), (false, false), (true, true)] {
            let pair = try await ReplicationPair()
            try await pair.here.put("gone", "{}")
            try await pair.here.put("removed", "{}")
            try await pair.here.put("stays", "{}")
            var configuration = ReplicatorConfiguration(
                target: MessageEndpoint(uid: "there") {
                    let (ours, theirs) = await SocketEnd.pair()
                    let server = ScriptedServer(theirs) { message in
                        guard message.profile == "subChanges" else {
                            guard message.type == .reply else { return Self.obliging(message) }
                            return [
                                .request(
                                    "rev", properties: ["id": "removed", "rev": "9-99", "sequence": "2"],
                                    body: Array(#"{"_removed":true}"#.utf8), noReply: true),
                                .request("changes", body: Array("null".utf8), noReply: true),
                            ]
                        }
                        let rows = #"[[1,"gone","9-99",2],[2,"removed","9-99"]]"#
                        return [.reply(to: message.number), .request("changes", body: Array(rows.utf8))]
                    }
                    Task { await server.run() }
                    return ours
                })
            configuration.replicatorType = .pull
            configuration.enableAutoPurge = purges
            var collection = ReplicatorConfiguration.CollectionConfiguration()
            if keeps { collection.pullFilter = ReplicationFilter { _, flags in !flags.contains(.accessRemoved) } }
            configuration.addCollection(pair.here, config: collection)
            let (status, documents) = try await pair.run(configuration)
            #expect(status.error == nil)
            #expect(documents == (keeps ? ["<gone- 10403", "<removed- 10403"] : ["<gone-", "<removed-"]))
            #expect(try await pair.here.state().count == (purges && !keeps ? 1 : 3))
        }
    }

    @Test("A removal before the revision of an earlier row removes the document nevertheless")
    func lossBeforeRevision() async throws {
        let pair = try await ReplicationPair()
        let answers = Lock(0)
        let (status, _) = try await run(pair, .pull) { message in
            if message.profile == "subChanges" {
                return [.reply(to: message.number), .request("changes", body: Array(#"[[1,"doc","1-aa"],[2,"stays","1-aa"]]"#.utf8))]
            }
            guard message.type == .reply else { return Self.obliging(message) }
            let count = answers.withLock { count in
                count += 1
                return count
            }
            func rev(_ id: String, _ sequence: String) -> BLIPMessage {
                .request("rev", properties: ["id": id, "rev": "1-aa", "sequence": sequence], body: Array("{}".utf8), noReply: true)
            }
            return switch count {
            case 1: [.request("changes", body: Array(#"[[3,"doc","2-aa",4]]"#.utf8))]
            case 2: [rev("doc", "1"), rev("stays", "2"), .request("changes", body: Array("null".utf8), noReply: true)]
            default: []
            }
        }
        #expect(status.error == nil)
        let state = try await pair.here.state()
        #expect(state.count == 1 && state[0].hasPrefix("stays"), "\(state)")
    }

    @Test("A server that refuses a delta gets the whole revision at once, and no second delta", arguments: [422, 400, 404])
    func refusedDeltas(_ code: Int) async throws {
        let pair = try await ReplicationPair()
        let first = try await pair.here.put("doc", DeltaReplicationTests.body(0))
        let answer: ScriptedServer.Answer = { message in
            switch message.profile {
            case "proposeChanges":
                // The server has the first revision.
                return [
                    .reply(to: message.number, properties: ["deltas": "true"], body: Array(Self.statuses(message, current: first).utf8))
                ]
            case "rev" where message.properties["deltaSrc"] != nil: return [.error(to: message.number, code: code, message: "no")]
            default: return Self.obliging(message)
            }
        }
        try await pair.here.put("doc", DeltaReplicationTests.body(1))
        let (status, received) = try await run(pair, .push, deltas: true, answer: answer)
        #expect(status.error == nil)
        let revisions = received.filter { $0.profile == "rev" }
        #expect(revisions.map { $0.properties["deltaSrc"] } == [first.text, nil])
        #expect(revisions.map { String(decoding: $0.body, as: UTF8.self) } == [#"{"n":1}"#, DeltaReplicationTests.body(1)])
        #expect(revisions.allSatisfy { $0.properties["history"] == first.text })
        #expect(received.contains { $0.profile == "setCheckpoint" })
    }

    /// A conflict with the server's revision, and acceptance of its child.
    private static func statuses(_ message: BLIPMessage, current: RevisionID) -> String {
        let parent = (try? JSONValue(message.body))?.array?.first?.array?[2].string
        return parent == current.text ? "[]" : "[{\"status\":409,\"rev\":\"\(current)\"}]"
    }

    @Test("An invalid delta from the server is refused once; if the server repeats it, the row is skipped")
    func insistingServer() async throws {
        for sendsWhole in [true, false] {
            let pair = try await ReplicationPair()
            try await pair.here.put("doc", DeltaReplicationTests.body(0))
            @Sendable func revision(_ isDelta: Bool) -> BLIPMessage {
                var properties: BLIPProperties = ["id": "new", "rev": "2-bb", "sequence": "1", "history": "1-aa"]
                if isDelta { properties.add("deltaSrc", "1-aa") }
                return .request("rev", properties: properties, body: Array(#"{"n":1}"#.utf8))
            }
            let (status, received) = try await run(pair, .pull, deltas: true) { message in
                switch (message.type, message.profile) {
                case (.request, "subChanges"):
                    return [.reply(to: message.number), .request("changes", body: Array(#"[[1,"new","2-bb"]]"#.utf8))]
                case (.reply, _) where message.properties["maxHistory"] != nil:
                    return [revision(true), .request("changes", body: Array("null".utf8), noReply: true)]
                case (.error, _): return [revision(!sendsWhole)]
                default: return Self.obliging(message)
                }
            }
            #expect(status.error == nil)
            #expect(received.first { $0.type == .reply }?.properties["deltas"] == "true")
            let refusals = received.count { $0.type == .error }
            #expect(sendsWhole ? refusals == 1 : refusals >= 2)
            #expect(try await pair.here.state().contains(#"new@2-bb {"n":1}"#) == sendsWhole)
        }
    }
}
