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
        "A resolver's result is a document or null",
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

    @Test("A kept side keeps its numbers, and equal values are distinguished by the returned side")
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
        "Any other result is refused",
        arguments: [
            "", "return 1", "return 'x'", "return []", "return true", "return function () {}", "return {toJSON: function () { return 5 }}",
            "return (async function () { return {} })()", "return {toJSON: function () {}}",
        ])
    func badResults(body: String) async throws {
        let error = await failure { try await run(body) }
        #expect(error?.code == .badResult)
    }

    private func run(
        _ body: String, _ localRevision: String, _ remoteRevision: String, local: String? = #"{"n":1}"#, remote: String? = #"{"n":2}"#
    ) async throws -> ConflictResolution {
        let input = ConflictInput(
            documentID: "a", localDocument: local.map { Array($0.utf8) }, remoteDocument: remote.map { Array($0.utf8) },
            localRevision: localRevision, remoteRevision: remoteRevision)
        return try await withEngine { try await $0.call(.resolver("function (conflict) { \(body) }", owner: "db"), input) }
    }

    @Test(
        "Sync Gateway's default policy lets a tombstone win, then the higher generation, then the higher digest",
        arguments: [
            ("2-a", "10-a", #"{"n":1}"#, #"{"n":2}"#, .remote), ("10-a", "9-f", #"{"n":1}"#, #"{"n":2}"#, .local),
            ("3-a", "3-b", #"{"n":1}"#, #"{"n":2}"#, .remote), ("3-b", "3-a", #"{"n":1}"#, #"{"n":2}"#, .local),
            ("2-a", "9-a", nil, #"{"n":2}"#, .delete), ("9-a", "2-a", #"{"n":1}"#, nil, .delete),
            ("2-a", "9-a", #"{"n":1}"#, #"{"n":1}"#, .remote),
        ] as [(String, String, String?, String?, ConflictResolution)])
    func defaultPolicy(local: String, remote: String, localDocument: String?, remoteDocument: String?, expected: ConflictResolution)
        async throws
    {
        for body in [
            "return defaultPolicy(conflict)", "var c = conflict; if (c.LocalDocument._id == 'a') return defaultPolicy(c); return null",
            "return defaultPolicy({LocalDocument: conflict.LocalDocument, RemoteDocument: conflict.RemoteDocument})",
        ] {
            #expect(try await run(body, local, remote, local: localDocument, remote: remoteDocument) == expected, "\(body)")
        }
    }

    @Test("The other policies are available, and none is used for another")
    func policies() async throws {
        #expect(try await run("return localWinsPolicy(conflict)", "1-a", "2-a") == .local)
        #expect(try await run("return remoteWinsPolicy(conflict)", "2-a", "1-a") == .remote)
        #expect(try await run("return remoteWinsPolicy(conflict)", "2-a", "1-a", remote: nil) == .delete)
        for argument in ["", "null", "1"] {
            let error = await failure { try await run("return defaultPolicy(\(argument))", "1-a", "2-a") }
            #expect(error?.code == .exception && error?.message.contains("defaultPolicy() needs the conflict") == true)
        }
    }

    @Test(
        "In Sync Gateway's form a _rev names the winner, and a document without one is merged",
        arguments: [
            ("var d = conflict.LocalDocument; d.x = 1; return d", .local), ("return conflict.RemoteDocument", .remote),
            (
                "var d = Object.assign({m: 0}, conflict.LocalDocument, conflict.RemoteDocument); delete d._rev; return d",
                .merged(Array(#"{"m":0,"n":2}"#.utf8))
            ),
            ("var d = conflict.LocalDocument; return {id: d._id, rev: d._rev}", .merged(Array(#"{"id":"a","rev":"1-a"}"#.utf8))),
            ("var d = conflict.LocalDocument; return {_deleted: true}", .delete),
            (
                "var {LocalDocument, RemoteDocument} = conflict; return RemoteDocument.n > LocalDocument.n ? RemoteDocument : LocalDocument",
                .remote
            ),
        ] as [(String, ConflictResolution)])
    func gatewayDocuments(body: String, expected: ConflictResolution) async throws {
        #expect(try await run(body, "1-a", "2-a") == expected)
    }

    @Test("A _rev of neither side is refused")
    func strangeRevision() async throws {
        let error = await failure { try await run("var d = conflict.LocalDocument; d._rev = '3-c'; return d", "1-a", "2-a") }
        #expect(error?.code == .badResult)
    }

    @Test("A circular document is an exception")
    func circular() async throws {
        let error = await failure { try await run("var a = {}; a.a = a; return a") }
        #expect(error?.code == .exception)
    }
}
