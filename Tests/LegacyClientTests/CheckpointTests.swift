import Documents
import Storage
import Testing

@testable import LegacyClient

@Suite("1.x checkpoints")
struct CheckpointTests {
    private func specification(_ direction: ReplicationDirection = .push, _ change: (inout ReplicationSettings) -> Void) -> String {
        var settings = ReplicationSettings()
        change(&settings)
        return String(
            decoding: LegacyCheckpointID.specification(
                localUUID: "U", direction: direction, settings: settings, remoteURL: "http://h:4984/db"), as: UTF8.self)
    }

    @Test("The JSON whose digest is the checkpoint ID equals that of each client")
    func specifications() {
        #expect(specification { _ in } == #"{"continuous":false,"localUUID":"U","push":true,"remoteURL":"http://h:4984/db"}"#)
        #expect(specification { $0.continuous = true } == #"{"localUUID":"U","push":true,"remoteURL":"http://h:4984/db"}"#)
        #expect(
            specification(.pull) {
                $0.continuous = true
                $0.checkpointStyle = .java
                $0.documentIDs = ["b", "a"]
            } == #"{"continuous":true,"docids":["a","b"],"localUUID":"U","push":false,"remoteURL":"http://h:4984/db"}"#)
        #expect(
            specification(.pull) { $0.documentIDs = ["b", "a"] }
                == #"{"continuous":false,"docids":["b","a"],"localUUID":"U","push":false,"remoteURL":"http://h:4984/db"}"#)
        #expect(
            specification(.pull) { $0.channels = ["a", "b"] }
                == #"{"continuous":false,"filter":"sync_gateway/bychannel","filterParams":{"channels":"a,b"},"localUUID":"U","push":false,"remoteURL":"http://h:4984/db"}"#
        )
        #expect(
            specification {
                $0.filter = "byOwner"
                $0.filterParams = ["z": .number("1"), "name": .string("W")]
                $0.customProperties["remoteUUID"] = .string("R")
                $0.checkpointStyle = .dotNet
            }
                == #"{"continuous":false,"filter":"byOwner","filterParams":{"name":"W","z":1},"localUUID":"U","push":true,"remoteURL":"R"}"#
        )
        #expect(specification { $0.customProperties["remoteUUID"] = .string("R") }.hasSuffix(#""remoteUUID":"R"}"#))
    }

    @Test("The checkpoint ID of the replication with the old server depends on the login, because another login may see more")
    func logins() {
        let change = { (name: String, isUpstream: Bool) in
            specification(.pull) {
                $0.authenticator = .basicAuthenticator(name: name, password: "CANARY")
                $0.isUpstream = isUpstream
            }
        }
        #expect(change("ann", false) == #"{"continuous":false,"localUUID":"U","push":false,"remoteURL":"http://h:4984/db"}"#)
        #expect(change("ann", true) == #"{"continuous":false,"localUUID":"U","login":"ann","push":false,"remoteURL":"http://h:4984/db"}"#)
        #expect(change("bob", true) != change("ann", true))
    }

    @Test("The ID is SHA-1 in lower-case hex, equal for equal settings and different for others")
    func identifiers() {
        let id = LegacyCheckpointID(localUUID: "U", direction: .push, settings: ReplicationSettings(), remoteURL: "http://h:4984/db").text
        #expect(id == "d9942b5940e9c266929e796ad030d4604305f07e")
        #expect(id.utf8.count == 40)
        #expect(
            LegacyCheckpointID(localUUID: "U", direction: .pull, settings: ReplicationSettings(), remoteURL: "http://h:4984/db").text != id)
        var settings = ReplicationSettings()
        settings.headers = ["a": "b"]
        settings.authenticator = .basicAuthenticator(name: "u", password: "p")
        #expect(LegacyCheckpointID(localUUID: "U", direction: .push, settings: settings, remoteURL: "http://h:4984/db").text == id)
    }

    @Test(
        "The IDs equal those that Couchbase Lite 1.4.4 computed from the same database and URL",
        arguments: [
            // Couchbase Lite for Java: push; continuous push; pull of channels.
            (CheckpointStyle.java, ReplicationDirection.push, false, "", "90b392ad5cb8f032a1a6314bc97e30f45657b052"),
            (.java, .push, true, "", "61ff564ee8117e1251f85e1179499d8e4fc3c3e1"),
            (.java, .pull, false, "b,a", "afeb203b32f48e93867f44727432b94eaf786c24"),
            // Couchbase Lite for .NET, continuous.
            (.dotNet, .push, true, "", "1317ddc656b577c516b99e52ed259625c02b8777"),
            (.dotNet, .pull, true, "", "35afc7ac52a2620fd52d77861ab0c68c493ac9c5"),
        ])
    func real(style: CheckpointStyle, direction: ReplicationDirection, isContinuous: Bool, channels: String, id: String) {
        var settings = ReplicationSettings()
        settings.checkpointStyle = style
        settings.continuous = isContinuous
        settings.channels = channels.split(separator: ",").map(String.init)
        // The `privateUUID` in the `info` table of the database.
        let (uuid, url) =
            style == .java
            ? ("0304c490-44a8-4822-8ed2-fdc95bfa65ac", "http://127.0.0.1:5988/shop")
            : ("-MC5iQcOpiU-YNGdAhA_m4Q", "http://127.0.0.1:14984/db")
        #expect(LegacyCheckpointID(localUUID: uuid, direction: direction, settings: settings, remoteURL: url).text == id)
    }

    @Test(
        "A replication continues where both halves agree, or at the lower of two numbers",
        arguments: [
            ("5", nil, "5", "5"), ("5", "4", "4", "4"), ("5", nil, nil, nil), ("5", nil, "9", "5"), ("9", nil, "5", "5"),
            ("5-abc", nil, "5-abc", "5-abc"), ("5-abc", nil, "6-def", nil), ("6-def", "5-abc", "5-abc", "5-abc"), ("1::5", nil, "6", nil),
        ] as [(String, String?, String?, String?)])
    func reconciling(local: String, previous: String?, remote: String?, expected: String?) {
        let checkpoint = LocalCheckpoint(lastSequence: local, previous: previous)
        #expect(checkpoint.reconciled(with: remote) == expected)
        #expect(LocalCheckpoint(checkpoint.json) == checkpoint)
    }

    @Test(
        "A replication continues at most from the last position at which the server had kept everything",
        arguments: [
            ("5", nil, "5", nil), ("5", "4", "4", "4"), ("5", "4", "5", "4"), ("5", "5", "5", "5"), ("5", "5", "9", "5"),
            ("9", "7", "8", "7"),
            ("9", "7", "6", "6"), ("9", "7", nil, nil), ("6-def", "5-abc", "6-def", "5-abc"), ("6-def", "6-def", "6-def", "6-def"),
            ("6-def", "5-abc", "7-ghi", nil),
        ] as [(String, String?, String?, String?)])
    func confirming(local: String, previous: String?, remote: String?, expected: String?) {
        #expect(LocalCheckpoint(lastSequence: local, previous: previous).confirmed(by: remote) == expected)
    }

    @Test(
        "Revisions that the server had refused when its half was written, and has accepted since, are offered once more",
        arguments: [
            ([5, 9], [], 4, []), ([5, 9], [9], 4, [9]), ([9], [5], 8, [5]), ([5, 9], [5, 9], nil, []), ([], [5], nil, []),
            ([20], [25], 19, []), ([21], [], nil, []), ([0, -3], [], nil, []),
        ] as [([Int64], [Int64], Int64?, Set<Int64>)])
    func retried(before: [Int64], now: [Int64], start: Int64?, passed: Set<Int64>) {
        let places = RefusedPlaces(before: before, now: now, upTo: 20)
        #expect(places.start == start && places.passed == passed)
    }

    @Test("The server's half keeps its other members, and a number is read as its text")
    func remoteHalf() throws {
        var checkpoint = try RemoteCheckpoint(Array(#"{"_id":"_local/x","_rev":"0-3","lastSequence":"12","app":{"a":[1]}}"#.utf8))
        #expect(checkpoint.lastSequence == "12" && checkpoint.revision == "0-3")
        checkpoint.revision = "0-4"
        let saved = try JSONValue(checkpoint.saving("13"))
        #expect(saved["lastSequence"] == .string("13") && saved["_rev"] == .string("0-4") && saved["app"]?["a"] == .array([.number("1")]))
        #expect(try RemoteCheckpoint(Array(#"{"lastSequence":12}"#.utf8)).lastSequence == "12")
        let refused = try RemoteCheckpoint(checkpoint.saving("14", refused: [3, 7]))
        #expect(refused.refused == [3, 7] && refused.lastSequence == "14")
        #expect(try RemoteCheckpoint(refused.saving("15")).refused == [])
        #expect(try RemoteCheckpoint(Array(#"{"lastSequence":null}"#.utf8)).lastSequence == nil)
        #expect(throws: (any Error).self) { try RemoteCheckpoint(Array("[]".utf8)) }
    }

    @Test(
        "Sequences of the server's half from before another restore of the local store do not count as pushed",
        arguments: [
            ("20", [10, 1], [10, 1], "20"), ("20", [10, 1], [10, 2], "10"), ("20", [], [10, 2], "10"), ("9", [], [10, 2], "9"),
            ("20", [10, 1], [], "10"), ("5-abc", [], [10, 2], "5-abc"),
        ] as [(String, [Int64], [Int64], String)])
    func restores(last: String, written: [Int64], now: [Int64], expected: String) throws {
        let saved = try RemoteCheckpoint(RemoteCheckpoint().saving(last, restores: RestoreHistory(numbers: written)))
        #expect(saved.limited(to: RestoreHistory(numbers: now)).lastSequence == expected)
    }

    @Test("The ledger's position is before the first unfinished change, whatever the order of completion")
    func ledger() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<20 {
            var ledger = SequenceLedger<Int>()
            var open: [Int: Int] = [:]
            var tickets: [(ticket: Int, position: Int)] = []
            for position in 1...2_000 {
                let count = Int.random(in: 0...2, using: &generator)
                let ticket = ledger.add(position, open: count)
                open[position] = count
                for _ in 0..<count { tickets.append((ticket, position)) }
                while tickets.count > 50 { dealWithOne() }
            }
            while !tickets.isEmpty { dealWithOne() }
            #expect(ledger.position == 2_000 && ledger.count == 0)

            func dealWithOne() {
                let (ticket, position) = tickets.remove(at: Int.random(in: 0..<tickets.count, using: &generator))
                ledger.complete(ticket)
                open[position, default: 0] -= 1
                let first = open.filter { $0.value > 0 }.keys.min() ?? (open.keys.max() ?? 0) + 1
                #expect(ledger.position ?? 0 == first - 1)
            }
        }
    }
}
