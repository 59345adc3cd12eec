import HTTP
import HTTPTypes
import Testing

@testable import Server

@Suite("The server's own routes behind a database")
struct AdminRouteTests {
    @Test("Users, roles and others' sessions are served at the admin port alone")
    func ports() {
        for route in AdminRoute.table where route.path != [.exactly("_session")] { #expect(route.ports == [.admin]) }
    }

    @Test("No request is served by two routes")
    func unambiguous() {
        var seen: Set<String> = []
        for route in AdminRoute.table {
            for method in route.methods {
                for port in route.ports { #expect(seen.insert("\(port) \(method.rawValue) \(route.path)").inserted) }
            }
        }
    }

    @Test(
        "Paths that are no route's",
        arguments: [
            "/db/_user/a/b", "/db/_User/a", "/db/_session/a/b", "/db//_user", "/db/_user//_session", "/db/%5Fuser%2Fa",
            "/db/_user/a/_sessions",
        ])
    func others(path: String) throws {
        let segments = try RequestTarget(path).segments.dropFirst(1)
        #expect(AdminRoute.table.allSatisfy { $0.parameters(of: segments) == nil })
    }

    @Test("Names are decoded once")
    func parameters() throws {
        let segments = try RequestTarget("/db/_user/a%252Fb/_session/x").segments.dropFirst(1)
        #expect(AdminRoute.table.compactMap { $0.parameters(of: segments) } == [["a%2Fb", "x"]])
    }
}
