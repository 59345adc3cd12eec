import Scripting
import Testing

@Suite("Isolation")
struct IsolationTests {
    /// Attempts to leave state behind or to replace built-in functions. They may throw.
    static let attempts = [
        "Array.prototype.push = function () { while (1); }", "Object.prototype.toJSON = function () { return 'owned' }",
        "Function.prototype.call = null; Function.prototype.apply = null", "JSON.stringify = function () { return 'owned' }",
        "JSON = null", "Object.defineProperty(Object.prototype, 'forbidden', { get() { return 'owned' } })", "Array.isArray = () => true",
        "Object.prototype.leak = 1", "globalThis.Array = null", "channel = function () {}",
        "globalThis.channel = null; delete globalThis.channel",
        "Object.prototype.__proto__ = { leak: 1 }",
        "String.prototype.slice = null; RegExp.prototype.test = () => true; RegExp.prototype.exec = null",
        "Array.prototype[Symbol.iterator] = function* () { yield 'owned' }",
        "Math.trunc = () => 7; Number.prototype.toString = () => 'owned'",
        "leak = 1", "this.leak = 1", "var undeclared; globalThis.leak = { a: 1 }", "Date.parse = () => 0", "arguments.callee.leak = 1",
        "Object.setPrototypeOf(Array.prototype, { leak: 1 })", "Object.getPrototypeOf([][Symbol.iterator]()).next = () => ({ done: true })",
        "Object.getPrototypeOf(function* () {}).constructor('leak = 1')",
        "Error.prototype.name = 'owned'; Error.prototype.message = 'owned'",
        "(function () { return this })().leak = 1", "Object.prototype.toString = () => '[object Function]'; ''.__proto__.leak = 1",
        "console.log = 1; log.leak = 1; channel.leak = 1", "Map.prototype.get = null; Set.prototype.has = () => true",
        "Object.freeze = x => x; Reflect.ownKeys = () => []", "Symbol.prototype.leak = 1; (1).__proto__.leak = 1; true.__proto__.leak = 1",
        "/leaked/.test('leaked'); if (RegExp.lastMatch === 'leaked' || RegExp['$&'] === 'leaked') throw new Error('leak')",
    ]

    @Test("Tampering reaches neither later calls nor other functions", arguments: attempts)
    func tampering(code: String) async throws {
        let check = """
            if (typeof leak !== 'undefined' || {}.leak || [].leak || ''.leak || arguments.callee.leak || channel.leak) throw new Error('leak');
            if (JSON.stringify([1, 'x', {a: 2}]) !== '[1,"x",{"a":2}]') throw new Error('JSON');
            var list = []; list.push(1); list.push.call(list, 2); var all = ''; for (var v of list) all += v;
            if (all !== '12' || Math.trunc(1.5) !== 1 || !/a/.test('a') || new Error('m').message !== 'm' || String({}) !== '[object Object]') throw new Error('builtins');
            channel('c' + [1, 2].map(x => x * 2).join('-'));
            """
        let source = "function (doc) { if (doc.bad) { try { \(code) } catch (e) { } return } \(check) }"
        let bad = SyncFunctionInput(document: Array(#"{"bad":1}"#.utf8))
        let good = SyncFunctionInput(document: empty, user: SyncFunctionUser(name: "zoe"))
        try await withEngine { engine in
            let results = try await engine.call(.sync(source, owner: "one"), each: [bad, good, bad, good])
            let other = try await engine.call(.sync("function (doc) { \(check) }", owner: "two"), good)
            #expect(try results[1].get().channels == ["c2-4"])
            #expect(try results[3].get().channels == ["c2-4"])
            #expect(other.channels == ["c2-4"])
            let rejected = try await engine.call(.sync("function (doc) { requireAdmin() }", owner: "one"), good)
            #expect(rejected.rejection?.message == "sg admin required")
        }
    }

    @Test("One source of two owners has two environments")
    func owners() async throws {
        let source = "(function () { var n = 0; return function (doc) { n++; return n > 1 } })()"
        try await withEngine { engine in
            let first = try await engine.call(.predicate(source, owner: "one"), each: [empty, empty])
            let second = try await engine.call(.predicate(source, owner: "two"), each: [empty])
            #expect(first == [.success(false), .success(true)])
            #expect(second == [.success(false)])
        }
    }

    @Test("Undeclared variables of a sloppy function work within a call")
    func undeclared() async throws {
        let source = "function (doc) { for (i = 0; i < doc.channels.length; i++) channel(doc.channels[i]); }"
        let result = try await withEngine {
            try await $0.call(.sync(source, owner: "db"), SyncFunctionInput(document: Array(#"{"channels":["a","b"]}"#.utf8)))
        }
        #expect(result.channels == ["a", "b"])
    }

    @Test("Only the language's plain parts and the host functions are reachable")
    func globals() async throws {
        let known = """
            AggregateError Array BigInt Boolean Date Error EvalError Function Infinity Iterator JSON Map Math NaN Number Object Proxy RangeError
            ReferenceError Reflect RegExp Set String Symbol SyntaxError TypeError URIError WeakMap WeakSet access channel console decodeURI
            decodeURIComponent encodeURI encodeURIComponent escape expiry globalThis isFinite isNaN log parseFloat parseInt requireAccess
            requireAdmin requireRole requireUser role undefined unescape
            """
        let source = "function (doc) { channel(Object.getOwnPropertyNames(globalThis)) }"
        let result = try await withEngine { try await $0.call(.sync(source, owner: "db"), SyncFunctionInput(document: empty)) }
        #expect(result.channels == Set(known.split(whereSeparator: \.isWhitespace).map(String.init)))
    }

    @Test("Every object that a function can reach from the globals is frozen")
    func frozen() async throws {
        let source = """
            function (doc) {
                var seen = new Set(), todo = [globalThis];
                while (todo.length) {
                    var o = todo.pop();
                    if (o === null || (typeof o !== 'object' && typeof o !== 'function') || seen.has(o)) continue;
                    seen.add(o);
                    if (o !== globalThis && !Object.isFrozen(o)) channel('open: ' + String(o.name || Object.prototype.toString.call(o)));
                    todo.push(Object.getPrototypeOf(o));
                    Reflect.ownKeys(o).forEach(function (k) {
                        var d = Object.getOwnPropertyDescriptor(o, k);
                        if (o === globalThis && d.configurable) { if (k !== 'undeclared') channel('global: ' + String(k)); }
                        todo.push(d.value, d.get, d.set);
                    });
                }
            }
            """
        let result = try await withEngine {
            $0.timeLimit = .seconds(2)
        } _: {
            try await $0.call(.sync(source, owner: "db"), SyncFunctionInput(document: empty))
        }
        #expect(result.channels.isEmpty)
    }
}
