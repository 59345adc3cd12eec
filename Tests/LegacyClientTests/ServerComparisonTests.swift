import Documents
import Testing

@testable import LegacyClient

@Suite("Comparison of a 1.x server with its earlier state")
struct ServerComparisonTests {
    private func checkpoint(_ last: String?, revision: Int64? = nil) throws -> RemoteCheckpoint {
        guard let last else { return RemoteCheckpoint() }
        let rev = revision.map { #","_rev":"0-\#($0)""# } ?? ""
        return try RemoteCheckpoint(Array(#"{"lastSequence":"\#(last)"\#(rev)}"#.utf8))
    }

    private func known(_ last: String, previous: String? = nil, revision: Int64? = nil) -> LocalCheckpoint {
        var known = LocalCheckpoint(lastSequence: last, previous: previous ?? last)
        known.revision = revision
        return known
    }

    private func identity(_ json: String, server: String = "Couchbase Sync Gateway/2.8.4") throws -> RemoteIdentity {
        RemoteIdentity(try JSONValue(Array(json.utf8)), of: ServerFeatures(server))
    }

    private func place(_ finding: ServerComparison.Finding) -> String? {
        if case .restored(let place, _) = finding { place ?? "start" } else { nil }
    }

    @Test(
        "A server was restored if its half of the checkpoint is lower, missing or of another kind, and was neither unsaved nor written by others",
        arguments: [
            ("7", nil, "7", nil), ("7", "6", "6", nil), ("7", nil, "9", nil), ("7", "6", "5", "5"), ("7", "5", "6", nil),
            ("7", nil, nil, "start"),
            ("12-abc", "9-x", "11-y", nil), ("12-abc", "9-x", "8-y", "start"),
            ("12-abc", nil, "12-def", nil), ("12-abc", nil, "14-x", nil), ("12-abc", nil, "9-x", "start"), ("7", nil, "x", "start"),
            ("[12,x]", nil, "[9,x]", "start"), ("1::5", nil, "6", nil), ("x", nil, "y", "start"),
        ] as [(String, String?, String?, String?)])
    func halves(last: String, previous: String?, there: String?, expected: String?) throws {
        let comparison = ServerComparison(
            known: known(last, previous: previous), there: try checkpoint(there), server: nil, identity: RemoteIdentity(), read: nil)
        #expect(place(comparison.finding) == expected)
    }

    @Test("A half that another client has written since is not an older one")
    func revisions() throws {
        for (revision, expected) in [(3, "5"), (4, "5"), (5, nil), (nil, "5")] as [(Int64?, String?)] {
            let comparison = ServerComparison(
                known: known("7", revision: 4), there: try checkpoint("5", revision: revision), server: nil, identity: RemoteIdentity(),
                read: nil)
            #expect(place(comparison.finding) == expected, "\(String(describing: revision))")
        }
        // The first half of all, which may not have reached the server.
        let first = ServerComparison(
            known: LocalCheckpoint(lastSequence: "7"), there: RemoteCheckpoint(), server: nil, identity: RemoteIdentity(), read: nil)
        #expect(first.finding == .same)
        // An unreadable half proves nothing, and a replication without a checkpoint has lost none.
        let unread = ServerComparison(known: known("7"), there: nil, server: nil, identity: RemoteIdentity(), read: "7")
        #expect(unread.finding == .same)
        #expect(
            ServerComparison(known: nil, there: try checkpoint("5"), server: nil, identity: RemoteIdentity(), read: nil).finding == .same)
    }

    @Test("A server was restored if its last sequence, a number, is lower than the position that was read")
    func sequences() throws {
        func find(_ json: String, read: String?, half: String = "7") throws -> String? {
            place(
                ServerComparison(
                    known: known("7"), there: try checkpoint(half), server: nil, identity: try identity(json), read: read
                ).finding)
        }
        #expect(try find(#"{"update_seq":7}"#, read: "7") == nil)
        #expect(try find(#"{"update_seq":9}"#, read: "9") == nil)
        #expect(try find(#"{"update_seq":8}"#, read: "9") == "7")
        // Both halves agree on a position that the server has not reached: its half was written after the restoration.
        #expect(try find(#"{"update_seq":5}"#, read: "7") == "start")
        #expect(try find(#"{"update_seq":6}"#, read: "7", half: "5") == "5")
        #expect(try find(#"{"update_seq":"5-g1AAA"}"#, read: "7") == nil)
        #expect(try find(#"{"update_seq":5}"#, read: "1:7") == nil)
        #expect(try find(#"{"update_seq":5}"#, read: nil) == nil)
        #expect(try find("{}", read: "7") == nil)
    }

    @Test("A server was replaced if its database has another permanent name")
    func names() throws {
        let names = [
            (#"{"server_uuid":"u1","instance_start_time":"5"}"#, "Couchbase Sync Gateway/2.8.4", "u1"),
            (#"{"server_uuid":"","instance_start_time":5}"#, "Couchbase Sync Gateway/2.8.4", nil),
            (#"{"instance_start_time":"1700000000"}"#, "CouchDB/3.3.3 (Erlang OTP/24)", "1700000000"),
            (#"{"instance_start_time":"0"}"#, "CouchDB/2.3.1 (Erlang OTP/19)", nil),
            (#"{"instance_start_time":"1700000000"}"#, "CouchDB/1.6.1 (Erlang OTP/17)", nil),
            (#"[]"#, "CouchDB/3.3.3", nil),
        ]
        for (json, server, name) in names { #expect(try identity(json, server: server).name == name, "\(json)") }
        let other = try identity(#"{"server_uuid":"u2","update_seq":99}"#)
        for (server, expected) in [(nil, nil), ("u2", nil), ("u1", "start")] as [(String?, String?)] {
            let comparison = ServerComparison(
                known: known("7"), there: try checkpoint("7"), server: server, identity: other, read: "7")
            #expect(place(comparison.finding) == expected)
        }
    }

    @Test("The stored data of a checkpoint is read as it was written")
    func memory() {
        var checkpoint = LocalCheckpoint(lastSequence: "7", previous: "6")
        checkpoint.revision = 3
        checkpoint.server = "u"
        checkpoint.restorations = 2
        #expect(LocalCheckpoint(checkpoint.json) == checkpoint)
        #expect(LocalCheckpoint(Array(#"{"lastSequence":"7"}"#.utf8)) == LocalCheckpoint(lastSequence: "7"))
    }
}
