import Scripting
import Testing

@Suite("Predicates and filters")
struct PredicateAndFilterTests {
    @Test(
        "A predicate's result is converted as in JavaScript",
        arguments: [
            (#"{"price":0}"#, true), (#"{"price":null}"#, true), (#"{}"#, false), (#"{"price":[]}"#, true),
        ] as [(String, Bool)])
    func truth(document: String, expected: Bool) async throws {
        let answer = try await withEngine {
            try await $0.call(.predicate("function (doc) { return doc.price !== undefined }", owner: "db"), Array(document.utf8))
        }
        #expect(answer == expected)
    }

    @Test(
        "Every form of a function is loaded",
        arguments: [
            "function (doc) { return true }", "function f(doc) { return true };", "  function (d) { return 1 } ;\n\n",
            "doc => doc.a !== 1", "/* one */ function (doc) { return 'x' } // two",
            "(function () { var t = true; return function () { return t } })()", "`function (doc) { return true }`",
            "`\n// why\nfunction (doc) { return true };\n`\n", "// one\n// two\nfunction (doc) { return true }; // three\n// four",
            "function (doc) { return `${doc.a}` === 'undefined' };;",
            "function (doc) { return helper(doc) }\nfunction helper(doc) { return true }",
        ])
    func spellings(source: String) async throws {
        let answer = try await withEngine { try await $0.call(.predicate(source, owner: "db"), Array("{}".utf8)) }
        #expect(answer)
    }

    @Test(
        "Falsy results are false",
        arguments: ["", "return", "return 0", "return ''", "return null", "return NaN"])
    func falsy(body: String) async throws {
        let answer = try await withEngine { try await $0.call(.predicate("function (doc) { \(body) }", owner: "db"), Array("{}".utf8)) }
        #expect(!answer)
    }

    @Test("A filter gets the query and the user, and nothing else of the request")
    func filter() async throws {
        let source =
            "function (doc, req) { return doc.owner == req.query.owner && isArray(req.userCtx.roles) && req.headers === undefined }"
        let request = Array(#"{"query":{"owner":"Waldo"},"userCtx":{"name":"w","roles":["a"]}}"#.utf8)
        let documents = [#"{"owner":"Waldo"}"#, #"{"owner":"x"}"#, #"{}"#]
        let inputs = documents.map { FilterInput(document: Array($0.utf8), request: request) }
        let answers = try await withEngine { try await $0.call(.filter(source, owner: "db"), each: inputs) }
        #expect(answers == [.success(true), .success(false), .success(false)])
    }

    @Test(
        "Numbers that JavaScript cannot represent exactly are texts, as in Sync Gateway",
        arguments: [
            ("9007199254740991", "number"), ("-9007199254740991", "number"), ("9007199254740992", "string"),
            ("-9007199254740993", "string"),
            ("9223372036854775807", "string"), ("123456789012345678901234567890", "string"), ("1e400", "string"), ("-1E400", "string"),
            ("12345678901234567890.5", "number"), ("1e20", "number"), ("0.12345678901234567890", "number"), ("-0", "number"),
            (#""9007199254740993""#, "string"), (#""a\"9007199254740993""#, "string"),
        ])
    func exactNumbers(value: String, type: String) async throws {
        let json = "{\"9007199254740993\": [ \(value),1],\"text\":\"\\\\\", \"n\":\(value)}"
        let text = value.hasPrefix("\"") ? value : "'\(value)'"
        let source = """
            function (doc) {
              return typeof doc.n === '\(type)' && doc['9007199254740993'][0] === doc.n && doc['9007199254740993'][1] === 1 && doc.text === '\\\\'
                && (doc.n === \(type == "string" ? text : value));
            }
            """
        #expect(try await withEngine { try await $0.call(.predicate(source, owner: "db"), Array(json.utf8)) })
        let input = FilterInput(document: Array(json.utf8), request: Array("{}".utf8))
        #expect(try await withEngine { try await $0.call(.filter(source, owner: "db"), input) })
    }

    @Test("CouchDB's helper functions are available to filters")
    func helpers() async throws {
        let source = "function (doc, req) { log('x'); console.log(1); return sum(doc.n) === 6 && toJSON(doc) === '{\"n\":[1,2,3]}' }"
        let input = FilterInput(document: Array(#"{"n":[1,2,3]}"#.utf8), request: Array("{}".utf8))
        let answer = try await withEngine { try await $0.call(.filter(source, owner: "db"), input) }
        #expect(answer)
    }

    @Test("Text is passed unchanged: other scripts, surrogates, NUL and line separators")
    func text() async throws {
        let source = """
            function (doc) {
                return doc.a === "Zoë \\u0000 \\u2028 \\ud83d\\ude00" && doc.b.charCodeAt(0) === 0xD800 && doc["ключ"] === 1 && 'é😀'.length === 3
            }
            """
        let document = Array(#"{"a":"Zoë \u0000 \#u{2028} 😀","b":"\ud800","ключ":1}"#.utf8)
        let answer = try await withEngine { try await $0.call(.predicate(source, owner: "db"), document) }
        #expect(answer)
    }

    @Test("Numbers that JavaScript cannot represent do not fail a call")
    func numbers() async throws {
        let source = "function (doc) { return +doc.a === Infinity && doc.b > 1e19 && doc.c === 1 && +doc.d === -Infinity }"
        let document = Array(#"{"a":1e400,"b":12345678901234567890,"c":1.0,"d":-1e999}"#.utf8)
        let answer = try await withEngine { try await $0.call(.predicate(source, owner: "db"), document) }
        #expect(answer)
    }

    @Test(
        "An argument that is not JSON is refused",
        arguments: ["", "{", "{}x", "undefined", "{'a':1}", "[1,]", "\u{0}", "{}\u{0}", "{\"a\":\"\u{0}\"}", "function(){}"])
    func badArgument(document: String) async throws {
        let error = try await withEngine { engine in
            await failure { try await engine.call(.predicate("function (doc) { return true }", owner: "db"), Array(document.utf8)) }
        }
        #expect(error?.code == .badArgument)
    }

    @Test("An argument that is not UTF-8 is refused")
    func badUTF8() async throws {
        let error = try await withEngine { engine in
            await failure {
                try await engine.call(.predicate("function (doc) { return true }", owner: "db"), [0x22, 0xFF, 0xFE, 0x22])
            }
        }
        #expect(error?.code == .badArgument)
    }

    @Test("A document nested ten thousand deep is read or refused, and the engine continues", arguments: [10_000, 1_000_000])
    func deep(depth: Int) async throws {
        let document = [UInt8](repeating: UInt8(ascii: "["), count: depth) + [UInt8](repeating: UInt8(ascii: "]"), count: depth)
        try await withEngine { engine in
            let function = ScriptFunction.predicate("function (doc) { return JSON.stringify(doc).length > 0 }", owner: "db")
            let results = try await engine.call(function, each: [document, Array("{}".utf8)])
            #expect(results[1] == .success(true))
        }
    }

    @Test("An argument over the limit is refused")
    func argumentLimit() async throws {
        let results = try await withEngine {
            $0.argumentLimit = 10
        } _: {
            try await $0.call(.predicate("doc => true", owner: "db"), each: [Array(#"{"abcdef":12345}"#.utf8), Array("{}".utf8)])
        }
        #expect(results.map(code) == [.tooLarge, nil])
    }
}
