import Storage
import Testing

@testable import Gateway

@Suite("Rule 4: a push and a pull of a 2.x client share one checkpoint document")
struct CheckpointBodyTests {
    private func merged(_ new: String, _ stored: String) -> String {
        String(decoding: CheckpointBody.merging(Array(new.utf8), into: Array(stored.utf8)), as: UTF8.self)
    }

    @Test("A write keeps the other half and other members of the stored checkpoint")
    func halves() {
        #expect(
            merged(#"{"time":2,"remote":"9:4"}"#, #"{"time":1,"local":5,"localCompleted":[0,6]}"#)
                == #"{"time":2,"remote":"9:4","local":5,"localCompleted":[0,6]}"#)
        #expect(merged(#"{"time":2,"local":7}"#, #"{"local":5,"localCompleted":[0,6],"remote":3}"#) == #"{"time":2,"local":7,"remote":3}"#)
        #expect(merged("{}", #"{"remote":3}"#) == #"{"remote":3}"#)
    }

    @Test("A body with both halves, or without an earlier one, is stored byte for byte")
    func verbatim() {
        let both = #"{ "local" : 1.0, "remote":null }"#
        #expect(merged(both, #"{"local":9,"remote":9}"#) == both)
        #expect(merged(#"{ "local":1 }"#, "{}") == #"{ "local":1 }"#)
        #expect(merged("[1]", #"{"remote":9}"#) == "[1]")
    }

    @Test("Both halves are kept over alternate writes, with revisions 0-1 and 0-2, and a stale write is a conflict")
    func turns() async throws {
        let fixture = try await Fixture()
        for keyspace in [fixture.unified, try fixture.collection("_default")] {
            func set(_ body: String, _ expected: String?) async throws -> String {
                try await keyspace.setLocalDocument(.checkpoint, id: "cp", body: Array(body.utf8), expected: expected)
            }
            #expect(try await set(#"{"local":5}"#, nil) == "0-1")
            #expect(try await code { _ = try await set(#"{"remote":3}"#, nil) } == .conflict)
            #expect(try await set(#"{"remote":3}"#, "0-1") == "0-2")
            #expect(try await code { _ = try await set(#"{"local":6}"#, "0-1") } == .conflict)
            #expect(try await set(#"{"local":6}"#, "0-2") == "0-3")
            let body = try await keyspace.localDocument(.checkpoint, id: "cp")?.body ?? []
            #expect(String(decoding: body, as: UTF8.self) == #"{"local":6,"remote":3}"#)
        }
    }

    @Test("The checkpoint of a named collection, whose name contains its direction, is stored byte for byte")
    func namedCollection() async throws {
        let orders = try await Fixture { try $0.add("s.c") }.collection("s.c")
        _ = try await orders.setLocalDocument(.checkpoint, id: "cp", body: Array(#"{"local":5,"remote":7}"#.utf8), expected: nil)
        _ = try await orders.setLocalDocument(.checkpoint, id: "cp", body: Array(#"{"remote":3}"#.utf8), expected: "0-1")
        let body = try await orders.localDocument(.checkpoint, id: "cp")?.body ?? []
        #expect(String(decoding: body, as: UTF8.self) == #"{"remote":3}"#)
    }

    @Test(
        "Only checkpoints of pulls from this store contain a client's position",
        arguments: [
            (LocalDocumentKind.local, #"{"lastSequence":"1000000007"}"#, 1_000_000_007),
            (.local, #"{"last_seq":1000000007}"#, 1_000_000_007),
            (.local, #"{"lastSequence":"1000000009:1000000002"}"#, 1_000_000_008), (.local, #"{"lastSequence":"17"}"#, nil),
            (.local, #"{"lastSequence":null}"#, nil), (.checkpoint, #"{"local":57,"remote":1000000007}"#, 1_000_000_007),
            (.checkpoint, #"{"local":1000000007}"#, nil), (.replicator, #"{"local":1000000007}"#, 1_000_000_007),
            (.local, #"{"lastSequence":"12-g1AAAA"}"#, nil),
        ] as [(LocalDocumentKind, String, Int64?)])
    func position(kind: LocalDocumentKind, body: String, expected: Int64?) throws {
        #expect(try #require(CheckpointBody(Array(body.utf8))).position(kind, from: .newOrigin)?.value == expected)
    }
}
