import Scripting
import Testing

@Suite("Conflict resolvers")
struct ResolverTests {
    private func run(_ body: String, local: String? = #"{"n":1}"#, remote: String? = #"{"n":2}"#) async throws -> ConflictResolution {
        let input = ConflictInput(
            documentID: "čau/1", localDocument: local.map { Array($0.utf8) }, remoteDocument: remote.map { Array($0.utf8) })
        return try await withEngine {
            try await $0.call(.resolver("function (conflict) { \(body) }", owner: "db"), input)
        }
    }

    @Test(
        "What a resolver returns",
        arguments: [
            ("return conflict.localDocument", .local), ("return conflict.remoteDocument", .remote), ("return null", .delete),
            ("return {n: conflict.localDocument.n + conflict.remoteDocument.n}", .merged(Array(#"{"n":3}"#.utf8))),
            ("return {id: conflict.documentID}", .merged(Array(#"{"id":"čau/1"}"#.utf8))),
            ("conflict.localDocument.x = '\\u0000😀'; return conflict.localDocument", .merged(Array(#"{"n":1,"x":"\u0000😀"}"#.utf8))),
            ("conflict.localDocument.n = 2; return conflict.localDocument", .remote),
            ("return Object.assign({}, conflict.localDocument)", .local),
            ("var m = {}; m.toString = 1; m.constructor = 2; return m", .merged(Array(#"{"toString":1,"constructor":2}"#.utf8))),
        ] as [(String, ConflictResolution)])
    func results(body: String, expected: ConflictResolution) async throws {
        let resolution = try await run(body)
        #expect(resolution == expected)
    }

    @Test("A side that is kept keeps its numbers; equal values are told apart by which side was returned")
    func numbers() async throws {
        let local = #"{"n":9007199254740993}"#
        let remote = #"{"n":9007199254740992}"#
        #expect(try await run("return conflict.localDocument", local: local, remote: remote) == .local)
        #expect(try await run("return conflict.remoteDocument", local: local, remote: remote) == .remote)
    }

    @Test("A tombstone is null")
    func tombstones() async throws {
        #expect(try await run("return conflict.localDocument || conflict.remoteDocument", local: nil) == .remote)
        #expect(try await run("return conflict.remoteDocument", remote: nil) == .delete)
    }

    @Test(
        "Anything but a document or null is a bad result",
        arguments: [
            "", "return 1", "return 'x'", "return []", "return true", "return function () {}", "return {toJSON: function () { return 5 }}",
            "return (async function () { return {} })()", "return {toJSON: function () {}}",
        ])
    func badResults(body: String) async throws {
        let error = await failure { try await run(body) }
        #expect(error?.code == .badResult)
    }

    @Test("A circular document is an exception")
    func circular() async throws {
        let error = await failure { try await run("var a = {}; a.a = a; return a") }
        #expect(error?.code == .exception)
    }
}
