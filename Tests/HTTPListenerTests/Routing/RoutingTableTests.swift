import HTTP
import HTTPListener
import HTTPTypes
import Testing

@Suite("Tables of paths and methods")
struct RoutingTableTests {
    /// All paths of up to three segments out of some that patterns have and some that they do not have.
    private static let paths: [String] = {
        let parts = ["a", "b", "%61", "A", "", "x", "a%2Fb"]
        var paths = [""]
        var last = [""]
        for _ in 1...3 {
            last = last.flatMap { start in parts.map { "\(start)/\($0)" } }
            paths += last
        }
        return paths.map { $0.isEmpty ? "/" : $0 }
    }()

    @Test("The index finds what a scan of all patterns finds")
    func index() throws {
        let patterns: [PathPattern] = ["", "a", "a/b", "a/*", "a/*/b", "b/**", "*/x", "*/*/x", "x/a/b"]
        let table = PathTable(patterns.map { ($0, $0) })
        // Names at the beginning precede variables.
        let ordered =
            patterns.filter { $0.segments.first != .any && !$0.segments.isEmpty }
            + patterns.filter { $0.segments.first == .any || $0.segments.isEmpty }
        var found: Set<PathPattern> = []
        for path in Self.paths {
            let segments = try RequestTarget(path).segments[...]
            let expected = ordered.lazy.compactMap { pattern in pattern.parameters(of: segments).map { (pattern, $0) } }.first
            let match = table.match(segments)
            #expect(match?.value == expected?.0 && match?.parameters == expected?.1, "\(path)")
            if let match { found.insert(match.value) }
        }
        #expect(found == Set(patterns))
    }

    @Test("A method has its route, another one has none, and `Allow` names each method once and in order")
    func methods() {
        let table = MethodTable<String>([([.put], "write"), ([.get, .head], "read"), ([.post, .get], "other")])
        #expect(table[.put] == "write" && table[.get] == "read" && table[.head] == "read" && table[.post] == "other")
        for method in [HTTPRequest.Method.delete, .patch, .options, .trace, .connect] { #expect(table[method] == nil) }
        #expect(table.allow == "GET, HEAD, POST, PUT")
        #expect(MethodTable<String>([]).allow == "" && MethodTable<String>([])[.get] == nil)
    }
}
