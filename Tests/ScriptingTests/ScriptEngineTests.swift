import Scripting
import Testing

@Suite("Functions in JavaScript")
struct ScriptEngineTests {
    private func engine(seconds: Double = 0.2) -> ScriptEngine {
        var limits = ScriptLimits()
        limits.seconds = seconds
        return ScriptEngine(workers: 1, limits: limits)
    }

    private func predicate(_ source: String) -> ScriptFunction {
        ScriptFunction(kind: .predicate, source: source)
    }

    private func test(_ source: String, _ documents: [String], with engine: ScriptEngine) async throws -> [Result<Bool, ScriptError>] {
        try await engine.test(predicate(source), documents.map { [Array($0.utf8)] })
    }

    /// The code of each failure, nil for a success.
    private func codes(_ results: [Result<Bool, ScriptError>]) -> [ScriptError.Code?] {
        results.map { result in
            guard case .failure(let error) = result else { return nil }
            return error.code
        }
    }

    @Test("A predicate is asked for each document of a batch")
    func batch() async throws {
        let results = try await test(
            "function (doc) { return doc.price !== undefined }", [#"{"price":1}"#, #"{"name":"x"}"#, #"{"price":null}"#], with: engine())
        #expect(results == [.success(true), .success(false), .success(true)])
    }

    @Test(
        "What is returned counts as JavaScript counts it",
        arguments: [("1", true), ("0", false), ("''", false), ("'0'", true), ("undefined", false), ("[]", true)])
    func truth(expression: String, expected: Bool) async throws {
        #expect(try await test("function (doc) { return \(expression) }", ["{}"], with: engine()) == [.success(expected)])
    }

    @Test("An arrow function is a function, too")
    func arrow() async throws {
        #expect(try await test("doc => doc.a === 'ü\\u0000'", [#"{"a":"ü\u0000"}"#], with: engine()) == [.success(true)])
    }

    @Test("Numbers that JavaScript cannot hold exactly are no failure")
    func numbers() async throws {
        #expect(
            try await test("doc => doc.a > 1", [#"{"a":1e400}"#, #"{"a":12345678901234567890}"#], with: engine()) == [
                .success(true), .success(true),
            ])
    }

    @Test(
        "A source that does not compile is told apart, with its message",
        arguments: ["function (doc) {", "42", "{}", "function (doc) { return } }"])
    func compile(source: String) async {
        await #expect { try await engine().validate(predicate(source)) } throws: { ($0 as? ScriptError)?.code == .compile }
    }

    @Test(
        "A function that throws fails its own call",
        arguments: ["'text'", "null", "undefined", "{toString(){ throw 1 }}", "new Error('no')"])
    func throwing(value: String) async throws {
        let results = try await test("function (doc) { if (doc.bad) throw \(value); return true }", [#"{"bad":1}"#, "{}"], with: engine())
        #expect(codes(results) == [.exception, nil])
    }

    @Test("A function that never ends is stopped, cannot catch that, and the next call works")
    func endless() async throws {
        let engine = engine()
        let source = "function (doc) { try { while (doc.loop) {} } catch (e) { return true } return !doc.loop }"
        let results = try await test(source, [#"{"loop":true}"#, "{}"], with: engine)
        #expect(codes(results) == [.timeout, nil])
    }

    @Test("A catastrophic regular expression is stopped")
    func regularExpression() async throws {
        let results = try await test("doc => /(a+)+$/.test('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab')", ["{}", "{}"], with: engine())
        #expect(codes(results) == [.timeout, .timeout])
    }

    @Test("Endless recursion is an exception, not the end of the process")
    func recursion() async throws {
        let results = try await test("function f(doc) { return f(doc) }", ["{}"], with: engine())
        #expect(codes(results) == [.exception])
    }

    @Test("What one function does to the globals, another does not see")
    func isolation() async throws {
        let engine = engine()
        _ = try await test("function (doc) { Array.isArray = () => 'spoiled'; this.secret = 1; return true }", ["{}"], with: engine)
        let results = try await test(
            "function (doc) { return Array.isArray([]) === true && typeof secret === 'undefined' }", ["{}"], with: engine)
        #expect(results == [.success(true)])
    }

    @Test("Arguments over the limit are refused")
    func size() async throws {
        var limits = ScriptLimits()
        limits.argumentSize = 10
        let results = try await test("doc => true", [#"{"a":"123456789"}"#, "{}"], with: ScriptEngine(limits: limits))
        #expect(codes(results) == [.badArguments, nil])
    }
}
