import HTTP
import Testing

@Suite("AcceptHeader")
struct AcceptHeaderTests {
    @Test(
        "_bulk_get responds in JSON only if JSON is named and multipart is not",
        arguments: [
            ("multipart/related", false), ("multipart/related, application/json", false), ("application/json", true),
            ("application/json, */*", true), ("*/*", false), (nil, false), ("", false), ("application/json;q=0", false),
            ("application/json, multipart/*", false), ("application/json, multipart/mixed;q=0", true), ("text/html", false),
        ] as [(String?, Bool)])
    func bulkGet(header: String?, isJSON: Bool) {
        #expect(AcceptHeader(header).wantsJSONRatherThanMultipart == isJSON)
    }

    @Test("CBL iOS and Java accept both types for single documents")
    func documents() {
        let accept = AcceptHeader("multipart/related, application/json")
        #expect(accept.accepts("multipart/related") && accept.accepts("application/json"))
        #expect(!accept.accepts("multipart/mixed") && !accept.accepts("text/plain"))
        #expect(accept.explicitlyAccepts("multipart/related"))
        #expect(accept.explicitlyAccepts(anyOf: "multipart"))
    }

    @Test("CBL .NET sends */* for single documents, which accepts any type and names none")
    func wildcard() {
        let accept = AcceptHeader("*/*")
        #expect(accept.accepts("multipart/related") && accept.accepts("application/json"))
        #expect(!accept.explicitlyAccepts("application/json") && !accept.explicitlyAccepts(anyOf: "multipart"))
    }

    @Test("CouchDB accepts only multipart/mixed for open_revs")
    func couch() {
        let accept = AcceptHeader("multipart/mixed")
        #expect(accept.accepts("multipart/mixed") && !accept.accepts("application/json"))
    }

    @Test("An absent header accepts any type", arguments: [nil, "", " ", ",", "garbage"])
    func missing(header: String?) {
        #expect(AcceptHeader(header).accepts("application/json"))
        #expect(!AcceptHeader(header).explicitlyAccepts("application/json"))
    }

    @Test("The most specific range decides, and q=0 refuses")
    func specificity() {
        let accept = AcceptHeader("*/*;q=0, multipart/*; q=0.5, Multipart/Mixed;q=0.0, application/json;q=abc")
        #expect(accept.accepts("multipart/related"))
        #expect(!accept.accepts("multipart/mixed"))
        #expect(!accept.accepts("text/plain"))
        #expect(accept.accepts("application/json"))
        #expect(AcceptHeader("text/html;q=0, */*").accepts("application/json"))
        #expect(!AcceptHeader("application/json;q=0, */*").accepts("application/json"))
        #expect(AcceptHeader("application/json;q=0.001").accepts("application/json"))
    }

    @Test("Browsers' long headers are parsed")
    func browser() {
        let accept = AcceptHeader("text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8")
        #expect(accept.accepts("application/json") && !accept.explicitlyAccepts("application/json"))
    }

    @Test("A header with very many ranges is read up to a limit")
    func many() {
        let header = String(repeating: "a/b,", count: 100_000) + "application/json"
        #expect(!AcceptHeader(header).explicitlyAccepts("application/json"))
    }
}
