import HTTP
import HTTPListener
import Testing

@testable import BridgeConfiguration
@testable import Server

@Suite("SameSite of a session's cookie")
struct SessionCookieTests {
    private func cookie(loginOrigins: [String], isSecure: Bool, isBrowser: Bool = true) throws -> String {
        var configuration = AccessConfiguration()
        configuration.cors.loginOrigins = loginOrigins
        configuration.isCookieSecure = isSecure
        return try #require(SessionCookies(database: "db", configuration: configuration).emptied(RequestInfo(isBrowser: isBrowser)))
            .rendered
    }

    @Test("`None` is set only if pages of other sites may log in, and over TLS, which browsers require for it")
    func sites() throws {
        let page = "https://app.example.com"
        #expect(try cookie(loginOrigins: [], isSecure: true).hasSuffix("Secure; SameSite=Lax"))
        #expect(try cookie(loginOrigins: [page], isSecure: true).hasSuffix("Secure; SameSite=None"))
        #expect(try cookie(loginOrigins: [page], isSecure: false).hasSuffix("HttpOnly; SameSite=Lax"))
    }

    @Test(
        "Clients that are no browsers get no attribute that Couchbase Lite for .NET would read as the cookie's name",
        arguments: [true, false])
    func apps(isSecure: Bool) throws {
        let known = ["path", "expires", "httponly", "secure"]
        let segments = try cookie(loginOrigins: ["https://app.example.com"], isSecure: isSecure, isBrowser: false).split(separator: "; ")
        let unknown = segments.filter { segment in !known.contains { segment.lowercased().hasPrefix($0) } }
        #expect(unknown == ["SyncGatewaySession="])
    }
}
