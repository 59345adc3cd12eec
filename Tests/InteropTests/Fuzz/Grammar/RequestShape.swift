/// The parts of a request besides its method and path.
struct RequestShape: Sendable {
    enum Body: Sendable {
        case none
        case json(JSONShape)
        /// Bytes of an attachment.
        case bytes
        /// A document, as JSON or in several parts.
        case document
        case script
    }

    var query: KeyValuePairs<String, Term>
    var body: Body

    init(_ query: KeyValuePairs<String, Term> = [:], _ body: Body = .none) {
        self.query = query
        self.body = body
    }

    init(json: JSONShape) { self.init([:], .json(json)) }

    /// Headers that a client may send with any request.
    static let headers: KeyValuePairs<String, Term> = [
        "Accept": .choice([
            "application/json", "multipart/related", "multipart/mixed", "*/*", "text/html;q=0.9, */*;q=0.1", "application/json;q=x",
        ]),
        "Accept-Encoding": .choice(["gzip", "identity", "gzip;q=0", "br, gzip;q=0.5", "*;q=0", "gzip;q=1e9"]),
        "If-Match": .known(.revision), "If-None-Match": .choice(["*", "\"1-a\"", "W/\"x\"", "\"sha1-i6R/6WcRpBf4G+Lu2iufXW3FjNc=\""]),
        "If-Range": .choice(["\"x\"", "Tue, 15 Nov 1994 08:12:31 GMT"]),
        "Range": .choice([
            "bytes=0-0", "bytes=0-", "bytes=-1", "bytes=-0", "bytes=5-2", "bytes=0-18446744073709551615", "bytes=9223372036854775807-",
            "bytes=-9223372036854775808", "bytes=0-0,0-0,0-0", "bytes=0-1,2-3", "bytes=", "bytes=a-b", "items=0-1",
            "bytes=99999999999999999999-",
            "bytes=0-9223372036854775806", "bytes=--1",
        ]),
        "Content-Type": .choice([
            "application/json", "text/plain", "multipart/related; boundary=b", "multipart/related", "multipart/related; boundary=\"",
            "application/x-www-form-urlencoded", "application/json; charset=utf-16", "/", ";", "application/javascript",
        ]),
        "User-Agent": .choice([
            "CouchbaseLite/1.4 (x)", "CouchDB/1.6", "Mozilla/5.0", "PouchDB", "CouchbaseLite/3.1.0-36 (Java; Android 13)",
        ]),
        "Cookie": .choice([
            "SyncGatewaySession=abc", "SyncGatewaySession=", "SyncGatewaySession=" + String(repeating: "f", count: 40), "=", ";;;",
            "a=b; a=b",
        ]),
        "Authorization": .choice([
            "Basic", "Basic Og==", "Basic ====", "Basic YTpi", "Bearer x", "Bearer a.b.c", "Bearer eyJhbGciOiJub25lIn0.e30.", "Negotiate x",
        ]),
        "Origin": .choice(["https://app.example.com", "https://evil.example", "null", "http://[", ""]),
        "Referer": .choice(["https://evil.example/x", "x"]), "Sec-Fetch-Site": .choice(["same-origin", "cross-site", "none", "x"]),
        "Access-Control-Request-Method": .choice(["PUT", "x y", ""]),
        "Access-Control-Request-Headers": .choice(["authorization", ",,,", "*"]),
        "X-Forwarded-For": .choice(["10.0.0.1", "::1", "1.2.3.4, 5.6.7.8", "999.1.1.1", "[::1]:99999", "unknown", "10.0.0.1:65536"]),
        "X-Forwarded-Proto": .choice(["https", "http, https", "x"]),
        "Forwarded": .choice(["for=1.2.3.4;proto=https", "for=\"[::1]:65536\""]),
        "Expect": .choice(["100-continue", "200-ok"]),
        "Connection": .choice(["close", "keep-alive", "upgrade", "host, x", "upgrade\t, x"]),
        "Upgrade": .choice(["websocket", "h2c", "x", ","]), "Sec-WebSocket-Version": .choice(["13", "8", "x"]),
        "Sec-WebSocket-Key": .choice(["dGhlIHNhbXBsZSBub25jZQ==", "x", ""]),
        "Sec-WebSocket-Protocol": .choice(["BLIP_3+CBMobile_3", "x", ",", "SyncGatewaySession_abc"]),
        "Last-Event-ID": .known(.sequence), "Dualgauge-Via": .choice(["abc", "a,b", "x y", ",", String(repeating: "a,", count: 300)]),
        "X-HTTP-Method-Override": .choice(["DELETE"]), "Te": .choice(["trailers"]), "Max-Forwards": .number, "X-Correlation-Id": .text,
    ]
}
