import Scripting
import Testing

@Suite("Loading functions")
struct CompileTests {
    @Test(
        "A source that is no function is refused, with the line",
        arguments: [
            ("function (doc) {\n  return doc..x\n}", 2), ("function (doc) {", nil), ("1", nil), ("null", nil), ("", nil), ("{}", nil),
            ("'x'", nil),
            ("function () {} function () {}", nil), ("async function (doc) { return true }", nil), ("function* (doc) { return true }", nil),
            ("missing", 1), ("(function () {\n\nthrow new Error('x') })()", 3), ("(function () { throw null })()", nil),
        ] as [(String, Int?)])
    func refused(source: String, line: Int?) async throws {
        let error = try await withEngine { engine in
            await failure { try await engine.compile(.predicate(source, owner: "route 3 of db")) }
        }
        #expect(error?.code == .compile)
        #expect(error?.owner == "route 3 of db")
        if let line { #expect(error?.line == line) }
        #expect(error?.message.isEmpty == false)
    }

    @Test("A source that does not come to an end is ended")
    func loops() async throws {
        try await withEngine { engine in
            for source in [
                "(function () { while (true) {} })()",
                "(function () { throw { get message() { while (1); }, toJSON() { while (1); } } })()",
            ] {
                let error = await failure { try await engine.compile(.predicate(source, owner: "db")) }
                #expect(error?.code == .timeout)
            }
            try await engine.compile(.predicate("function (doc) { return true }", owner: "db"))
            #expect(engine.statistics.terminations == 2)
        }
    }

    @Test("Each call of a batch fails with the function's error, which is looked for once")
    func batch() async throws {
        try await withEngine { engine in
            let results = try await engine.call(.predicate("function (", owner: "db"), each: [empty, empty, empty])
            #expect(results.map(code) == [.compile, .compile, .compile])
            #expect(engine.statistics.compilations == 1)
        }
    }

    @Test("A function is loaded once for each worker, and again when others took its room")
    func cache() async throws {
        try await withEngine {
            $0.functionsPerWorker = 2
        } _: { engine in
            for owner in ["a", "b", "a", "b", "a"] { try await engine.compile(.predicate("doc => true", owner: owner)) }
            #expect(engine.statistics.compilations == 2)
            for owner in ["c", "b", "c", "a"] { try await engine.compile(.predicate("doc => true", owner: owner)) }
            #expect(engine.statistics.compilations == 5)
        }
    }
}
