import Storage
import Testing

@testable import Gateway

@Suite("Local documents and checkpoints")
struct LocalDocumentTests {
    @Test(
        "The first revision is 0-1 and the next 0-2, and the body is stored byte for byte",
        arguments: [LocalDocumentKind.local, .checkpoint])
    func revisions(kind: LocalDocumentKind) async throws {
        let fixture = try await Fixture()
        let keyspace = fixture.unified
        #expect(try await keyspace.localDocument(kind, id: "c") == nil)
        #expect(try await keyspace.setLocalDocument(kind, id: "c", body: Array(#"{ "n":1.0}"#.utf8), expected: nil) == "0-1")
        #expect(try await keyspace.setLocalDocument(kind, id: "c", body: Array(#"{"n":2}"#.utf8), expected: "0-1") == "0-2")
        let found = try await keyspace.localDocument(kind, id: "c")
        #expect(found?.revision == 2)
        #expect(found?.body == Array(#"{"n":2}"#.utf8))
    }

    @Test("A write with another revision than the stored one is refused with 409", arguments: [nil, "0-2", "1-1", "x"])
    func conflict(expected: String?) async throws {
        let fixture = try await Fixture()
        let keyspace = fixture.unified
        _ = try await keyspace.setLocalDocument(.local, id: "c", body: Array("{}".utf8), expected: nil)
        #expect(try await code { _ = try await keyspace.setLocalDocument(.local, id: "c", body: [], expected: expected) } == .conflict)
        #expect(try await keyspace.localDocument(.local, id: "c")?.revision == 1)
    }

    @Test("A revision or a deletion without a stored document is refused with 404")
    func missing() async throws {
        let fixture = try await Fixture()
        let keyspace = fixture.unified
        #expect(try await code { _ = try await keyspace.setLocalDocument(.local, id: "c", body: [], expected: "0-1") } == .notFound)
        #expect(try await code { _ = try await keyspace.setLocalDocument(.local, id: "c", body: nil, expected: nil) } == .notFound)
    }

    @Test("A deleted document starts again at 0-1")
    func deleted() async throws {
        let fixture = try await Fixture()
        let keyspace = fixture.unified
        _ = try await keyspace.setLocalDocument(.local, id: "c", body: Array("{}".utf8), expected: nil)
        _ = try await keyspace.setLocalDocument(.local, id: "c", body: nil, expected: "0-1")
        #expect(try await keyspace.localDocument(.local, id: "c") == nil)
        #expect(try await keyspace.setLocalDocument(.local, id: "c", body: Array("{}".utf8), expected: nil) == "0-1")
    }

    @Test("Kinds and keyspaces are separate, and local documents are in no feed")
    func apart() async throws {
        let fixture = try await Fixture { try $0.add("s.c") }
        _ = try await fixture.unified.setLocalDocument(.local, id: "c", body: Array("{}".utf8), expected: nil)
        #expect(try await fixture.unified.localDocument(.checkpoint, id: "c") == nil)
        #expect(try await fixture.collection("s.c").localDocument(.local, id: "c") == nil)
        #expect(try await fixture.collection("_default._default").localDocument(.local, id: "c") == nil)
        #expect(try await fixture.unified.feed() == [])
        try await fixture.expectSound()
    }
}
