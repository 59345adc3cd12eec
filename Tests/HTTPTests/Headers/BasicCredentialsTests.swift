import HTTP
import Testing

@Suite("BasicCredentials")
struct BasicCredentialsTests {
    @Test("CBL Java's recorded header is parsed")
    func java() {
        #expect(BasicCredentials(authorization: "Basic YWxpY2U6c2VjcmV0") == BasicCredentials(user: "alice", password: "secret"))
    }

    @Test("A user without a colon and any password come back", arguments: [("", ""), ("u", ""), ("", "p"), ("ü", "日:本:"), ("u", ":")])
    func roundTrip(user: String, password: String) {
        let credentials = BasicCredentials(user: user, password: password)
        #expect(BasicCredentials(authorization: credentials.authorization) == credentials)
    }

    @Test("The scheme is case-insensitive, and blanks and missing padding are accepted")
    func tolerant() {
        for header in ["basic YTpi", " BASIC  YTpi ", "Basic\tYTpi"] { #expect(BasicCredentials(authorization: header)?.user == "a") }
        #expect(BasicCredentials(authorization: "Basic YTpiYw") == BasicCredentials(user: "a", password: "bc"))
    }

    @Test(
        "A malformed Basic header has no credentials",
        arguments: [
            "", "Basic", "Basic ", "Bearer YTpi", "BasicYTpi", "Basic !!", "Basic YWI=", "Basic YTr/", "Basic /zph", "Basic YToA",
            "Basic YQphOmI=",
        ])
    func none(header: String) {
        #expect(BasicCredentials(authorization: header) == nil)
    }

    @Test("No description, dump or interpolation contains the password")
    func hidden() {
        let credentials = BasicCredentials(user: "alice", password: "canary")
        var dumped = ""
        dump(credentials, to: &dumped)
        dump([credentials], to: &dumped)
        for text in ["\(credentials)", "\([credentials])", String(reflecting: credentials), String(describing: credentials), dumped] {
            #expect(!text.contains("canary") && text.contains("alice"))
        }
    }
}
