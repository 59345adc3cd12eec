import Scripting
import Testing

@Suite("Loading of functions")
struct CompileTests {
    @Test(
        "A source that is not a function is refused, with line and column",
        arguments: [
            ("function (doc) {\n  return doc..x\n}", 2, 14), ("function (doc) {", 1, 17),
            ("function (doc) {\n  if (doc.a) {\n}", 3, 2),
            ("function (doc) {\n  var a = ;\n}", 2, 11), ("function (doc) {\n  doc.first second\n}", 2, 13),
            ("function (doc) {\n  if (doc { }\n}", 2, 11), ("// one\nfunction (doc) { return 'ž😀' 'x' }", 2, 31),
            ("`function (doc) { return + }`", 1, 28), ("\n\n  function (doc) {\n    return + }", 4, 14), ("", 1, 1),
            ("var f = function () {}", 1, 1), ("function () {} function () {}", 1, 16),
            ("1", nil, nil), ("null", nil, nil), ("{}", nil, nil), ("'x'", nil, nil), ("function () {}; 1", nil, nil),
            ("async function (doc) { return true }", nil, nil), ("function* (doc) { return true }", nil, nil),
            ("missing", 1, nil), ("(function () {\n\nthrow new Error('x') })()", 3, nil), ("(function () { throw null })()", nil, nil),
        ] as [(String, Int?, Int?)])
    func refused(source: String, line: Int?, column: Int?) async throws {
        let error = try await withEngine { engine in
            await failure { try await engine.compile(.predicate(source, owner: "route 3 of db")) }
        }
        #expect(error?.code == .compile)
        #expect(error?.owner == "route 3 of db")
        #expect(error?.line == line)
        if let column { #expect(error?.column == column) }
        #expect(error?.message.isEmpty == false)
    }

    @Test("A source that does not end is stopped")
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

    @Test("Each call of a batch fails with the function's error, which is determined once")
    func batch() async throws {
        try await withEngine { engine in
            let results = try await engine.call(.predicate("function (", owner: "db"), each: [empty, empty, empty])
            #expect(results.map(code) == [.compile, .compile, .compile])
            #expect(engine.statistics.compilations == 1)
        }
    }

    @Test("A function is loaded once for each worker, and again after it was displaced")
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
