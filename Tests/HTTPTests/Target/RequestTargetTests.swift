import HTTP
import Testing

@Suite("RequestTarget: paths")
struct RequestTargetTests {
    private func values(_ target: String) throws -> [String] { try RequestTarget(target).segments.map(\.value) }

    private func code(_ target: String, limits: RequestTarget.Limits = .init()) -> RequestTargetError.Code? {
        do { _ = try RequestTarget(target, limits: limits) } catch { return error.code }
        return nil
    }

    @Test("/db and /db/ have the same segments, and the trailing slash is kept")
    func trailingSlash() throws {
        let plain = try RequestTarget("/db")
        let slashed = try RequestTarget("/db/")
        #expect(plain.segments == slashed.segments)
        #expect(plain.segments.map(\.value) == ["db"])
        #expect(!plain.hasTrailingSlash && slashed.hasTrailingSlash)
        #expect(try RequestTarget("/").segments.isEmpty)
        #expect(try RequestTarget("/").hasTrailingSlash)
        #expect(slashed.rawPath == "/db/")
    }

    @Test("Double slashes give empty segments")
    func emptySegments() throws {
        #expect(try values("//") == [""])
        #expect(try values("//db/doc") == ["", "db", "doc"])
        #expect(try values("/db//doc") == ["db", "", "doc"])
        #expect(try values("/db//") == ["db", ""])
        for target in ["//", "//db", "/db//", "/db//doc"] { #expect(try RequestTarget(target).hasEmptySegment) }
        for target in ["/", "/db", "/db/", "/db/doc"] { #expect(try !RequestTarget(target).hasEmptySegment) }
    }

    @Test(
        "Dots are never resolved, plain or encoded",
        arguments: [
            ("/db/../x", ["db", "..", "x"]), ("/db/./x", ["db", ".", "x"]), ("/db/%2e%2E/x", ["db", "..", "x"]), ("/..", [".."]),
        ])
    func dots(target: String, expected: [String]) throws {
        #expect(try values(target) == expected)
    }

    @Test("An encoded slash is part of its segment, and the raw segment is kept")
    func encodedSlash() throws {
        let target = try RequestTarget("/db/_design%2Fx/a%2fb")
        #expect(target.segments.map(\.value) == ["db", "_design/x", "a/b"])
        #expect(target.segments.map(\.raw) == ["db", "_design%2Fx", "a%2fb"])
    }

    @Test("A plus in a path is a plus")
    func plus() throws {
        #expect(try values("/db/a+b") == ["db", "a+b"])
        #expect(try values("/db/a%2Bb%20c") == ["db", "a+b c"])
        #expect(try values("/db/a+b%20c") == ["db", "a+b c"])
    }

    @Test(
        "Raw brackets and other characters that RFC 3986 forbids are accepted, as CBL .NET sends them",
        arguments: ["li[ve2]", "a{b}c", "q\"q", "a<b>c", "a^b", "a|b", "a\\b", "a`b", "a#b", "ü", "😀"])
    func rawCharacters(id: String) throws {
        let target = try RequestTarget("/db/\(id)?rev=1-a&revs_from=[]")
        #expect(target.segments.map(\.value) == ["db", id])
        #expect(target.query["revs_from"] == "[]")
    }

    @Test("A document's unescaped slash of CBL .NET is joined again: PUT /db/n5/att?new_edits=false")
    func unescapedSlash() throws {
        let target = try RequestTarget("/db/n5/att?new_edits=false")
        #expect(target.joinedSegments(from: 1) == "n5/att")
        #expect(try RequestTarget("/db/a//b/").joinedSegments(from: 1) == "a//b")
        #expect(try RequestTarget("/db/a//b/").joinedSegments(from: 1, keepingTrailingSlash: true) == "a//b/")
        #expect(try RequestTarget("/db").joinedSegments(from: 1).isEmpty)
    }

    @Test("PouchDB's encoded ID and attachment name with plain slashes are parsed")
    func pouchAttachment() throws {
        let target = try RequestTarget("/db/p5%2F%C3%BC%2Bx%26y-5.4.5/b%20c/d.txt?rev=1-56")
        #expect(target.segments[1].value == "p5/ü+x&y-5.4.5")
        #expect(target.joinedSegments(from: 2) == "b c/d.txt")
    }

    @Test("The checkpoint ID of PouchDB in browsers ends with %3D%3D, and an empty query follows")
    func pouchCheckpoint() throws {
        let target = try RequestTarget("/db/_local/PYWCXVrQjqr0Ktd4NvtVQA%3D%3D?")
        #expect(target.segments.last?.value == "PYWCXVrQjqr0Ktd4NvtVQA==")
        #expect(target.query.isEmpty && target.query.raw.isEmpty)
    }

    @Test("Every reserved character is encoded by CBL iOS and Java")
    func encodedID() throws {
        #expect(try values("/db/j4%2Fsl%20ash%2B%C3%BC%26%3F%23%25") == ["db", "j4/sl ash+ü&?#%"])
        #expect(try values("/db/%3A%40%21%24%27%28%29%2A%2C%3B%3D") == ["db", ":@!$'()*,;="])
    }

    @Test("A whole URL is a target, as proxies send it")
    func absoluteForm() throws {
        let target = try RequestTarget("HTTP://example.com:4984/db/a%2Fb?x=1")
        #expect(target.authority == "example.com:4984")
        #expect(target.segments.map(\.value) == ["db", "a/b"])
        #expect(target.query["x"] == "1")
        let bare = try RequestTarget("https://example.com?x=1")
        #expect(bare.authority == "example.com" && bare.rawPath == "/" && bare.hasTrailingSlash && bare.query["x"] == "1")
        #expect(try RequestTarget("/http://x/").authority == nil)
        #expect(try RequestTarget("/db").authority == nil)
    }

    @Test("An asterisk is the server itself")
    func asterisk() throws {
        let target = try RequestTarget("*")
        #expect(target.rawPath == "*" && target.segments.isEmpty && !target.hasTrailingSlash)
    }

    @Test(
        "Malformed targets are refused",
        arguments: [
            ("", RequestTargetError.Code.malformed), ("db", .malformed), ("**", .malformed), ("?x", .malformed), ("ftp://x/", .malformed),
            ("http://", .malformed), ("http:///db", .malformed), ("example.com:443", .malformed), ("/a b", .forbiddenCharacter),
            ("/a\tb", .forbiddenCharacter), ("/a\r\nb", .forbiddenCharacter), ("/a\0", .forbiddenCharacter),
            ("/\u{7F}", .forbiddenCharacter),
            ("/?a b", .forbiddenCharacter), ("/%00", .forbiddenCharacter), ("/?x=%00", .forbiddenCharacter), ("/%", .invalidEscape),
            ("/%2", .invalidEscape), ("/%2/x", .invalidEscape), ("/%zz", .invalidEscape), ("/%+1", .invalidEscape),
            ("/?x=%g0", .invalidEscape),
            ("/%FF", .invalidUTF8), ("/%C3", .invalidUTF8), ("/%C0%AF", .invalidUTF8), ("/%ED%A0%80", .invalidUTF8),
            ("/?x=%FF", .invalidUTF8),
            ("/%C3/%BC", .invalidUTF8),
        ])
    func refused(target: String, expected: RequestTargetError.Code) {
        #expect(code(target) == expected)
    }

    @Test("Targets over a limit are refused, and those at the limit are accepted")
    func limits() {
        let limits = RequestTarget.Limits(length: 20, segments: 3, queryItems: 2)
        #expect(code("/" + String(repeating: "x", count: 19), limits: limits) == nil)
        #expect(code("/" + String(repeating: "x", count: 20), limits: limits) == .tooLong)
        #expect(code("/a/b/c/", limits: limits) == nil)
        #expect(code("/a/b/c/d", limits: limits) == .tooManySegments)
        #expect(code("////", limits: limits) == nil)
        #expect(code("/////", limits: limits) == .tooManySegments)
        #expect(code("/?a&b", limits: limits) == nil)
        #expect(code("/?a&b&c", limits: limits) == .tooManyQueryItems)
        let error = #expect(throws: RequestTargetError.self) { try RequestTarget("/" + String(repeating: "x", count: 70_000)) }
        #expect(error?.code == .tooLong)
    }
}
