import HTTP
import Testing

@Suite("Cookies")
struct CookieTests {
    @Test("An empty Cookie header of CBL .NET has no cookies", arguments: ["", " ", ";", "; ;"])
    func empty(header: String) {
        #expect(CookieHeader(header).cookies.isEmpty)
    }

    @Test("Several cookies, quotes, equals signs and blanks are parsed")
    func several() {
        let cookies = CookieHeader("SyncGatewaySession=abc; b=\"x y\";c=d=e ; f=;=g; h; i=\"; B=2; bad name=1")
        #expect(cookies.cookies.map(\.name) == ["SyncGatewaySession", "b", "c", "f", "i", "B"])
        #expect(cookies["SyncGatewaySession"] == "abc")
        #expect(cookies["b"] == "x y" && cookies["B"] == "2")
        #expect(cookies["c"] == "d=e" && cookies["f"] == "" && cookies["i"] == "\"")
        #expect(cookies["none"] == nil)
    }

    @Test("All values of a name are kept, as for two databases' sessions")
    func repeated() {
        let cookies = CookieHeader(["s=1; s=2", "s=3"])
        #expect(cookies.values(named: "s") == ["1", "2", "3"])
        #expect(cookies["s"] == "1")
    }

    @Test("Very many cookies are read up to a limit")
    func many() {
        #expect(CookieHeader(String(repeating: "a=b;", count: 10_000)).cookies.count == 128)
    }

    @Test("Set-Cookie is written as Sync Gateway sends it, and with all attributes")
    func setCookie() throws {
        let session = try #require(
            SetCookie(name: "SyncGatewaySession", value: "abc123", path: "/db", expires: 784_111_777, isHTTPOnly: false))
        #expect(session.rendered == "SyncGatewaySession=abc123; Path=/db; Expires=Sun, 06 Nov 1994 08:49:37 GMT")
        let whole = try #require(SetCookie(name: "a", value: "b", path: "/", isSecure: true, sameSite: .strict))
        #expect(whole.rendered == "a=b; Path=/; HttpOnly; Secure; SameSite=Strict")
        let cleared = try #require(SetCookie(name: "a", value: "", expires: 0, isHTTPOnly: false))
        #expect(cleared.rendered == "a=; Expires=Thu, 01 Jan 1970 00:00:00 GMT")
    }

    @Test("Characters that could end the cookie or its header are refused")
    func refused() {
        #expect(SetCookie(name: "", value: "x") == nil)
        #expect(SetCookie(name: "a b", value: "x") == nil)
        for value in ["a;b", "a b", "a,b", "a\"b", "a\\b", "a\r\nb", "ä", "a\0"] { #expect(SetCookie(name: "a", value: value) == nil) }
        for path in ["/a;b", "/a\r\nb"] { #expect(SetCookie(name: "a", value: "b", path: path) == nil) }
    }
}
