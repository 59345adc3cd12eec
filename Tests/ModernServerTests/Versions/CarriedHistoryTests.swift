import Access
import BLIP
import Documents
import Gateway
import ModernTestSupport
import Storage
import Testing

@testable import ModernProtocol
@testable import ModernServer

@Suite("Histories and client revisions beside versions between bridges", .timeLimit(.minutes(1)))
struct CarriedHistoryTests {
    private static let version = "18e9f0cc68800001@BOA02SKaSYC0d/vOEWw0Ew"
    private static let remembered = #"{"04e034d9-229a-4980-b477-fbce116c3413":"1-aa"}"#

    private func push(_ bridge: TestBridge, as principal: Principal, _ more: BLIPProperties, _ body: String = #"{"n":1}"#) async throws
        -> BLIPMessage
    {
        try await bridge.connect(.v4, as: principal) { peer in
            try await peer.ask("getCollections", [:], #"{"checkpoint_ids":["cp"],"collections":["_default"]}"#)
            var request = Requests.rev("doc", Self.version, body, collection: 0)
            request.properties.add(more)
            return try await peer.ask(request)
        }
    }

    private func anna(_ bridge: TestBridge) async throws -> Principal {
        var change = AccountChange()
        change.channels = ["*"]
        try await Accounts(bridge.store).put(.user("anna"), change)
        return .user("anna")
    }

    @Test("A new document gets the transmitted tree; client revisions are accepted only from an administrator")
    func told() async throws {
        for isAdministrator in [true, false] {
            let bridge = try await TestBridge()
            let principal = isAdministrator ? Principal.administrator : try await anna(bridge)
            let reply = try await push(bridge, as: principal, ["revTree": "3-cc,2-bb,1-aa", "clientRevisions": Self.remembered])
            #expect(reply.type == .reply)
            let found = try await bridge.database.unified.read { snapshot in
                try snapshot.document("doc").map { ($0.tree.history(of: $0.winner).map(\.text), try snapshot.clientRevisions(of: $0)) }
            }
            #expect(found?.0 == ["3-cc", "2-bb", "1-aa"])
            #expect(found?.1.count == (isAdministrator ? 1 : 0))
        }
    }

    @Test("The version that is pushed with a known revision is recorded only for an administrator")
    func unwritten() async throws {
        for isAdministrator in [true, false] {
            let bridge = try await TestBridge()
            let principal = isAdministrator ? Principal.administrator : try await anna(bridge)
            try await bridge.put("doc", "2-bb", #"{"n":1}"#, "1-aa")
            let reply = try await push(bridge, as: principal, ["revTree": "2-bb,1-aa"])
            #expect(reply.type == .reply)
            let known = try await bridge.database.unified.winnerNames("doc")
            #expect(known?.revision == "2-bb")
            #expect((known?.version?.current.description == Self.version) == isAdministrator)
        }
    }

    @Test(
        "Malformed properties are refused",
        arguments: [
            ["revTree": "x"], ["revTree": "1-aa,2-bb"], ["clientRevisions": "[]"], ["clientRevisions": "{"],
            ["revTree": Array(repeating: "1-aa", count: 2).joined(separator: ",")],
        ])
    func refused(properties: [String: String]) async throws {
        let bridge = try await TestBridge()
        var more: BLIPProperties = [:]
        for (name, value) in properties { more.add(name, value) }
        let reply = try await push(bridge, as: .administrator, more)
        #expect(reply.type == .error && reply.errorCode == 400)
        #expect(try await bridge.database.unified.state() == [])
    }

    @Test("The texts have a limit, and are read as they were written")
    func texts() throws {
        let history = (1...300).reversed().compactMap { RevisionID("\($0)-aa") }
        #expect(CarriedHistory.text(history).split(separator: ",").count == 100)
        let clients = Dictionary(uniqueKeysWithValues: try (0..<600).map { ("c\($0)", try #require(RevisionID("1-aa"))) })
        let text = try #require(CarriedHistory.text(clients))
        var write = VersionedWrite(history: try VersionHistory(rev: Self.version, history: nil), copy: nil)
        try CarriedHistory.add(["clientRevisions": text, "revTree": CarriedHistory.text(history)], to: &write, fromAdministrator: true)
        #expect(write.remembered.count == 500 && write.tree == Array(history.prefix(100)))
        #expect(CarriedHistory.text([:]) == nil)
    }
}
