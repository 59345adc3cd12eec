import HTTP
import Testing

@Suite("Redirections")
struct RedirectionTests {
    private func target(_ location: String?, status: Int = 302, from url: String = "https://a.example/db/x?y=1") -> Redirection? {
        Redirection(status: status, location: location, from: url, schemes: WebURL.http)
    }

    @Test("Relative and absolute locations are resolved")
    func locations() {
        #expect(target("/other?z=2")?.url == "https://a.example/other?z=2")
        #expect(target("sibling")?.url == "https://a.example/db/sibling")
        #expect(target("https://a.example:443/db#part")?.url == "https://a.example:443/db")
        #expect(target("//b.example/db")?.url == "https://b.example/db")
        for status in [301, 302, 303, 307, 308] { #expect(target("/x", status: status) != nil) }
    }

    @Test("The same origin is the same scheme, host and port")
    func origin() {
        #expect(target("https://A.example:443/db")?.isSameOrigin == true)
        #expect(target("https://a.example:444/db")?.isSameOrigin == false)
        #expect(target("https://b.example/db")?.isSameOrigin == false)
        #expect(target("https://a.example/db", from: "http://a.example/db")?.isSameOrigin == false)
    }

    @Test("Unsafe redirections are refused")
    func refused() {
        #expect(target(nil) == nil && target("/x", status: 200) == nil && target("/x", status: 304) == nil)
        // An insecure connection in place of a secure one, another protocol, and an impossible port.
        for location in ["http://a.example/db", "file:///etc/passwd", "ftp://a.example/", "https://127.0.0.1:99999/db", "https:///db"] {
            #expect(target(location) == nil, "\(location)")
        }
    }
}
