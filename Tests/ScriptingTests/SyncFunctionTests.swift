import Scripting
import Testing

@Suite("Sync functions")
struct SyncFunctionTests {
    private func run(
        _ body: String, document: String = #"{"_id":"d"}"#, old: String? = nil, meta: String? = nil, user: SyncFunctionUser? = nil
    ) async throws -> SyncFunctionOutput {
        let input = SyncFunctionInput(
            document: Array(document.utf8), oldDocument: old.map { Array($0.utf8) },
            meta: meta.map { Array($0.utf8) } ?? SyncFunctionInput.emptyMeta, user: user)
        return try await withEngine {
            try await $0.call(.sync("function (doc, oldDoc, meta) { \(body) }", owner: "db"), input)
        }
    }

    @Test(
        "channel() accepts strings and arrays, and ignores other values",
        arguments: [
            ("channel('a')", ["a"]), ("channel('a', ['b', 'c'], undefined, null, 1, {}, ['d', 4, null])", ["a", "b", "c", "d"]),
            ("channel(doc.channels)", []), ("channel()", []), ("channel('a'); channel('a'); channel('b')", ["a", "b"]),
            ("channel('*', 'a')", ["*"]), ("channel([['a']], ['b', ['c', null]])", ["b"]),
            ("channel('!')", ["!"]), ("channel(' a ')", [" a "]), ("channel('ž😀')", ["ž😀"]),
            ("channel('12:x', '3:')", ["12:x", "3:"]), ("channel('a\\u0000b')", ["a\u{0}b"]),
        ] as [(String, Set<String>)])
    func channels(body: String, expected: Set<String>) async throws {
        let result = try await run(body)
        #expect(result.channels == expected)
        #expect(result.rejection == nil && result.access.isEmpty && result.roles.isEmpty && result.expiry == nil)
    }

    @Test(
        "An empty channel name, or one with a comma, is refused",
        arguments: ["channel('')", "channel('a,b')", "access('u', 'a,b')", "role('u', 'role:')"])
    func illegalNames(body: String) async throws {
        let error = await failure { try await run(body) }
        #expect(error?.code == .badResult)
    }

    @Test("access() grants channels to users and roles")
    func access() async throws {
        let result = try await run(
            "access('zoe', 'a'); access(['zoe', 'role:r', 7], ['b', 1, '*']); access('x'); access(null, 'q'); access('y', [])")
        #expect(result.access == ["zoe": ["a", "b"], "role:r": ["b"]])
    }

    @Test("role() grants roles to users, and requires their prefix")
    func roles() async throws {
        let result = try await run("role(['zoe', 'max'], 'role:a'); role('zoe', ['role:b', 'role:c'])")
        #expect(result.roles == ["zoe": ["a", "b", "c"], "max": ["a"]])
        let error = await failure { try await run("role('zoe', 'a')") }
        #expect(error?.code == .badResult)
        #expect(error?.message.contains("role:") == true)
    }

    @Test(
        "expiry() accepts seconds and dates",
        arguments: [
            ("expiry(300)", 300), ("expiry('300')", 300), ("expiry(1.9)", 1), ("expiry('2030-01-02T03:04:05Z')", 1_893_553_445),
            ("expiry('2030-01-02T04:04:05.500+01:00')", 1_893_553_445), ("expiry(null)", nil), ("expiry()", nil), ("expiry('soon')", nil),
            ("expiry(-1)", nil), ("expiry(4294967296)", nil), ("expiry({})", nil), ("expiry(5); expiry('x')", 5), ("expiry(NaN)", nil),
        ] as [(String, UInt32?)])
    func expiry(body: String, expected: UInt32?) async throws {
        let result = try await run(body)
        #expect(result.expiry == expected)
    }

    @Test(
        "require… functions refuse other writers",
        arguments: [
            ("requireUser('zoe')", nil), ("requireUser(['max', 'zoe'])", nil), ("requireUser('max')", "sg wrong user"),
            ("requireUser([])", "sg wrong user"), ("requireUser()", "sg wrong user"), ("requireUser(null)", "sg wrong user"),
            ("requireRole('editor')", nil), ("requireRole(['x', 'editor'])", nil), ("requireRole('x')", "sg missing role"),
            ("requireRole('role:editor')", "sg missing role"), ("requireRole([['editor']])", "sg missing role"),
            ("requireAccess('a')", nil), ("requireAccess(['x', 'b'])", nil), ("requireAccess('x')", "sg missing channel access"),
            ("requireAccess([])", "sg missing channel access"), ("requireAccess(undefined)", "sg missing channel access"),
            ("requireAdmin()", "sg admin required"), ("try { requireAdmin() } catch (e) { channel('caught') }", nil),
        ] as [(String, String?)])
    func requirements(body: String, message: String?) async throws {
        let result = try await run(body, user: SyncFunctionUser(name: "zoe", roles: ["editor"], channels: ["a", "b", "*"]))
        #expect(result.rejection?.message == message)
        #expect(result.rejection?.status == (message == nil ? nil : 403))
        let administrator = try await run(body)
        #expect(administrator.rejection == nil)
    }

    @Test("The guest has an empty name and is checked")
    func guest() async throws {
        let user = try await run("requireUser('zoe')", user: SyncFunctionUser(name: ""))
        #expect(user.rejection?.status == 403)
        let role = try await run("requireRole('zoe')", user: SyncFunctionUser(name: ""))
        #expect(role.rejection?.message == "sg missing role")
    }

    @Test("Each write of a batch is checked for its own user")
    func users() async throws {
        let users = [nil, SyncFunctionUser(name: "zoe"), SyncFunctionUser(name: "zoe"), SyncFunctionUser(name: "max"), nil]
        let inputs = users.map { SyncFunctionInput(document: empty, user: $0) }
        let results = try await withEngine {
            try await $0.call(.sync("function () { requireUser('max') }", owner: "db"), each: inputs + inputs)
        }
        let statuses = try results.map { try $0.get().rejection?.status }
        #expect(statuses == [nil, 403, 403, nil, nil, nil, 403, 403, nil, nil])
    }

    @Test("A user with many channels is known in every write of a batch, whatever the garbage collector does")
    func manyChannels() async throws {
        let user = SyncFunctionUser(name: "ž😀", channels: (0..<5_000).map { "channel-\($0)" })
        let source = """
            function (doc) {
                var waste = []; for (var i = 0; i < 2000; i++) waste.push({ i: i });
                requireUser('ž😀'); requireAccess('channel-' + doc.n); channel('c' + waste.length)
            }
            """
        let inputs = (0..<300).map { SyncFunctionInput(document: Array(#"{"n":\#($0 * 20)}"#.utf8), user: user) }
        let results = try await withEngine { try await $0.call(.sync(source, owner: "db"), each: inputs) }
        for (number, result) in results.enumerated() {
            #expect(try result.get().rejection?.message == (number < 250 ? nil : "sg missing channel access"))
        }
    }

    @Test("A failed call has its own error, which quotes nothing of the documents")
    func failures() async throws {
        let inputs = ["throw", "loop", "fine"].map { SyncFunctionInput(document: Array(#"{"do":"\#($0)"}"#.utf8)) }
        let source = "function (doc) { if (doc.do == 'throw') throw new Error('secret'); while (doc.do == 'loop') {} }"
        let results = try await withEngine { try await $0.call(.sync(source, owner: "db"), each: inputs) }
        let rejections = results.map { result in
            switch result {
            case .success(let result): result.rejection
            case .failure(let error): SyncFunctionOutput.Rejection(error)
            }
        }
        #expect(rejections.map(\.?.status) == [500, 500, nil])
        #expect(rejections[0]?.message == "Exception in JS sync function")
        #expect(rejections[1]?.message == "The JS sync function was ended: it took too long")
        #expect(SyncFunctionOutput.Rejection(ScriptError(.busy, "", owner: "db")).status == 503)
    }

    @Test(
        "Thrown forbidden and unauthorized errors are refusals",
        arguments: [
            ("throw({forbidden: 'no'})", 403, "no"), ("throw({unauthorized: 'log in'})", 401, "log in"),
            ("channel('x'); throw({forbidden: 'žluť'})", 403, "žluť"), ("throw({forbidden: {}})", 403, "[object Object]"),
            ("throw({forbidden: 12})", 403, "12"), ("throw({forbidden: true})", 403, "true"),
        ] as [(String, Int, String)])
    func rejections(body: String, status: Int, message: String) async throws {
        let result = try await run(body)
        #expect(result.rejection?.status == status)
        #expect(result.rejection?.message == message)
        #expect(result.channels.isEmpty)
    }

    @Test("The function gets the old document with the new one's ID, and meta, and not the user")
    func arguments() async throws {
        let body = """
            if (oldDoc === null) { channel("new"); return }
            channel(oldDoc._id, oldDoc.c, meta.xattrs.x, typeof arguments[3], String(arguments.length))
            """
        let result = try await run(
            body, document: #"{"_id":"d1"}"#, old: #"{"c":"old"}"#, meta: #"{"xattrs":{"x":"m"}}"#, user: SyncFunctionUser(name: "zoe"))
        #expect(result.channels == ["d1", "old", "m", "undefined", "3"])
        #expect(try await run(body).channels == ["new"])
        let bare = try await run("channel(JSON.stringify(meta).replace(/[^a-z]/g, ''))")
        #expect(bare.channels == ["xattrs"])
    }

    @Test("A result contains nothing of another call")
    func separate() async throws {
        let inputs = (0..<100).map { SyncFunctionInput(document: Array(#"{"n":\#($0)}"#.utf8)) }
        let source =
            "function (doc) { channel('c' + doc.n); if (doc.n % 3 == 0) throw({forbidden: 'x'}); if (doc.n % 3 == 1) expiry(doc.n) }"
        let results = try await withEngine { try await $0.call(.sync(source, owner: "db"), each: inputs) }
        for (number, result) in results.enumerated() {
            let result = try result.get()
            #expect(result.channels == (number % 3 == 0 ? [] : ["c\(number)"]))
            #expect(result.expiry == (number % 3 == 1 ? UInt32(number) : nil))
        }
    }

    @Test("A result over the limit fails, even if the function would hide it")
    func resultLimit() async throws {
        let error = try await withEngine {
            $0.resultLimit = 1_000
        } _: { engine in
            await failure {
                try await engine.call(
                    .sync("function (doc) { for (var i = 0; i < 1e4; i++) try { channel('c' + i) } catch (e) {} }", owner: "db"),
                    SyncFunctionInput(document: empty))
            }
        }
        #expect(error?.code == .tooLarge)
    }
}
