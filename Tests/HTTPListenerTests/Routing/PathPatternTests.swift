import HTTP
import HTTPListener
import Testing

@Suite("Patterns of paths")
struct PathPatternTests {
    private func parameters(_ pattern: PathPattern, _ path: String) throws -> [String]? {
        pattern.parameters(of: try RequestTarget(path).segments[...])
    }

    @Test(
        "Names match names, and `*` any segment that is not empty",
        arguments: [
            ("", "/", []), ("_user", "/_user", []), ("_user", "/_user/", []), ("_user", "/%5fuser?x=1", []),
            ("_user/*", "/_user/ann", ["ann"]),
            ("_user/*/_session/*", "/_user/a%252Fb/_session/x", ["a%2Fb", "x"]), ("_user/*", "/_user/a%2Fb", ["a/b"]),
            ("_user/*", "/_user/..", [".."]), ("*/x/*", "/a/x/b", ["a", "b"]), ("_ui/**", "/_ui", []), ("_ui/**", "/_ui/a//b/", []),
            ("*/**", "/a/b/c", ["a"]), ("**", "/", []),
        ] as [(String, String, [String])])
    func matching(_ pattern: String, _ path: String, _ expected: [String]) throws {
        #expect(try parameters(PathPattern(pattern), path) == expected)
    }

    @Test(
        "An encoded slash, an empty segment, other spelling and other lengths never match",
        arguments: [
            ("", "/a"), ("", "//"), ("_user", "/"), ("_user", "/_User"), ("_user", "/_user/a"), ("_user", "//_user"), ("_user", "/_user//"),
            ("_user/*", "/_user"), ("_user/*", "/_user/"), ("_user/*", "/_user//"), ("_user/*", "/_user%2Fann"), ("_user/*", "/_user/a/b"),
            ("_user/*/_session", "/_user//_session"), ("_user/*/_session", "/_user/a/_sessions"), ("_ui/**", "/_ui%2Fx"),
            ("_ui/**", "/_uix"),
            ("*/**", "/"), ("*/**", "//a"), ("K", "/%E2%84%AA"),
        ])
    func others(_ pattern: String, _ path: String) throws {
        #expect(try parameters(PathPattern(pattern), path) == nil)
    }

    @Test("A pattern is written as it is read", arguments: ["", "_user", "_user/*/_session/*", "_ui/**"])
    func description(_ text: String) {
        #expect("\(PathPattern(text))" == text)
        #expect(PathPattern("/\(text)/") == PathPattern(text))
    }
}
