import Scripting
import Testing

@Suite("Functions that misbehave", .serialized)
struct FailureTests {
    /// Calls a function with a document on which it fails, between two others.
    private func misbehave(
        _ body: String, _ adjust: (inout ScriptLimits) -> Void = { _ in }
    ) async throws -> (error: ScriptError?, statistics: ScriptStatistics) {
        try await withEngine(adjust) { engine in
            let function = ScriptFunction.predicate("function (doc) { if (!doc.bad) return true;\n \(body) }", owner: "db.scope.c")
            let results = try await engine.call(function, each: [empty, Array(#"{"bad":1}"#.utf8), empty])
            #expect(results[0] == .success(true))
            #expect(results[2] == .success(true))
            guard case .failure(let error) = results[1] else { return (nil, engine.statistics) }
            return (error, engine.statistics)
        }
    }

    @Test(
        "Endless loops are stopped",
        arguments: [
            "while (true) {}", "try { while (true) {} } catch (e) { return true } finally { return true }",
            "for (;;) { try { while (1) {} } catch (e) {} }",
            "throw { get message() { while (1) {} }, toString() { while (1) {} } }", "throw { toJSON() { while (1) {} } }",
            "var e = new Error(); Object.defineProperty(e, 'message', { get() { while (1) {} } }); throw e",
            "throw new Proxy({}, { get() { while (1) {} } })", "throw { get forbidden() { while (1) {} }, toJSON() { for (;;); } }",
            "return /(a+)+$/.test('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab')  && /(a|aa)+$/.test('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab') || (function () { while (1); })()",
            "for (;;) new Array(1e9).indexOf(5)", "function f() { try { f() } finally { f() } } f()",
        ])
    func loops(body: String) async throws {
        let (error, statistics) = try await misbehave(body)
        #expect(error?.code == .timeout)
        #expect(statistics.terminations == 1 && statistics.failures == [.timeout: 1] && statistics.calls == 3)
        #expect(statistics.compilations == 2)
    }

    @Test(
        "Any thrown value is an exception with a text",
        arguments: [
            ("throw null", "null was thrown"), ("throw undefined", "undefined was thrown"), ("throw 12", "12 was thrown"),
            ("throw 'x'", "x"),
            ("throw Symbol('s')", "Symbol(s) was thrown"), ("throw {a: 1}", #"an object was thrown: {"a":1}"#),
            ("throw 5n", "5 was thrown"),
            ("throw { toString() { throw 1 }, toJSON() { throw 2 } }", "a value that cannot be described"),
            ("throw { get message() { throw 1 }, toString: null, toJSON() {} }", "a value that cannot be described"),
            ("throw new TypeError('t')", "TypeError: t"), ("null.x", "TypeError"), ("nothing()", "nothing"),
            ("throw function () {}", "was thrown"), ("function f() { f() } f()", "RangeError: Maximum call stack size exceeded."),
            ("eval('1')", "eval"), ("new Function('return 1')()", "code can't be made from text here"),
            ("(async function () {}).constructor('1')", "code can't be made"), ("setTimeout(function () {}, 1)", "setTimeout"),
            ("return (0, Object).assign.constructor('return this')()", "code can't be made from text here"),
            ("Promise.resolve()", "Promise"), ("new ArrayBuffer(1e9)", "ArrayBuffer"), ("require('fs')", "require"),
            ("WebAssembly", "WebAssembly"),
        ] as [(String, String)])
    func exceptions(body: String, text: String) async throws {
        let (error, statistics) = try await misbehave(body)
        #expect(error?.code == .exception)
        #expect(error?.message.contains(text) == true, "\(error?.message ?? "")")
        #expect(statistics.terminations == 0 && statistics.compilations == 1)
    }

    @Test("An exception has its line, and a text of limited length")
    func line() async throws {
        let (error, _) = try await misbehave("\nthrow new Error('x'.repeat(1e6))")
        #expect(error?.line == 3)
        #expect(error?.owner == "db.scope.c")
        #expect((error?.message.count ?? 0) < 1_100)
        #expect(error?.description.hasPrefix("db.scope.c, line 3, column 16: Error: xxx") == true)
    }

    @Test(
        "A promise is no result, and an asynchronous loop blocks nothing",
        arguments: [
            "return (async function () { while (1) await 0 })()",
            "(async function () { for (;;) await null })(); return (async () => true)()",
        ])
    func asynchronous(body: String) async throws {
        let (error, _) = try await misbehave(body)
        #expect(error?.code == .badResult)
    }

    @Test(
        "Endless allocation is stopped",
        arguments: [
            "var z = []; while (true) z.push(new Array(1000).fill(1.5))", "var z = []; while (true) z.push({a: 1})",
            "var m = new Map; for (;;) m.set({}, {})", "var l = []; for (;;) l.push('abc'.repeat(100000) + l.length)",
            "var s = 'x'; for (;;) s = [s, s, s].join(s)", "var a = [1]; for (;;) a = a.concat(a)",
        ])
    func memory(body: String) async throws {
        let (error, _) = try await misbehave(body) {
            $0.timeLimit = .seconds(20)
            $0.batchTimeLimit = .seconds(60)
            $0.memoryLimit = 100 << 20
        }
        #expect(error?.code == .memory, "\(error?.description ?? "")")
    }

    @Test(
        "Long texts are not created in one step",
        arguments: [
            "'x'.repeat(2e9)", "'x'.padEnd(2e9)", "'x'.padStart(2e9)", "new Array(1e8).join('xxxxxxxxxx')",
            "var s = 'x'; while (true) s += s + 'y'",
            "String.prototype.repeat.call({ toString() { return 'xxxxxxxxxx' } }, 1e8)", "'x'.repeat({ valueOf() { return 1e9 } })",
        ])
    func texts(body: String) async throws {
        let (error, _) = try await misbehave(body)
        #expect(error?.code == .memory)
    }

    @Test("State that a function collects in a closure is limited by its realm's memory, not the process's")
    func gathering() async throws {
        let source = "(function () { var all = []; return function (doc) { all.push(doc); return true } })()"
        let document = Array(("[" + String(repeating: "\"xy\",", count: 10_000) + "1]").utf8)
        try await withEngine {
            $0.memoryLimit = 32 << 20
        } _: { engine in
            for _ in 0..<12 {
                let results = try await engine.call(.predicate(source, owner: "db"), each: Array(repeating: document, count: 100))
                #expect(results.allSatisfy { $0 == .success(true) })
            }
            #expect(engine.statistics.compilations > 1)
        }
    }

    @Test("A batch has a budget too")
    func batchBudget() async throws {
        let results = try await withEngine {
            $0.timeLimit = .milliseconds(50)
            $0.batchTimeLimit = .milliseconds(150)
        } _: {
            try await $0.call(.predicate("function (doc) { while (true) {} }", owner: "db"), each: Array(repeating: empty, count: 500))
        }
        #expect(results.count == 500)
        #expect(results.allSatisfy { code($0) == .timeout })
        guard case .failure(let last) = results[499] else { return }
        #expect(last.message == "the batch has used up its time")
    }
}
