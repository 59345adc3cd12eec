import Gateway
import HTTP
import HTTPTypes
import HummingbirdCore
import Testing

@testable import BridgeConfiguration
@testable import Server

@Suite("From a target to its route")
struct RouteIndexTests {
    private func resolve(_ method: HTTPRequest.Method, _ path: String, on port: PortKind = .admin) throws -> Resolution {
        RouteIndex.of(port).resolve(method, try RequestTarget(path))
    }

    /// The place, the kind of the routes and the class of the route.
    private func description(_ resolution: Resolution) -> String {
        let place =
            switch resolution.place {
            case .server: "server"
            case .keyspace(let name): name.collection.map { "\(name.database) \($0)" } ?? name.database
            case .unnamed(let name): "unnamed \(name)"
            }
        let found =
            switch resolution.found {
            case .routes: "routes"
            case .legacy: "1.x"
            case .nothing: "nothing"
            }
        return "\(place), \(found), \(resolution.route?.requestClass ?? "-")"
    }

    @Test(
        "The admin port",
        arguments: [
            ("GET", "/", "server, routes, root"), ("GET", "*", "server, routes, root"), ("GET", "//", "server, routes, root"),
            ("PUT", "/", "server, routes, -"), ("GET", "//shop", "server, nothing, -"), ("GET", "/_ping/", "server, routes, _ping"),
            ("GET", "/_ping/x", "server, nothing, -"), ("GET", "/_none", "server, nothing, -"), ("GET", "/_ui", "server, routes, _ui"),
            ("GET", "/_ui/a//b", "server, routes, _ui"), ("GET", "/_ui%2Fx", "server, nothing, -"),
            ("GET", "/metrics?x=1", "server, routes, metrics"), ("POST", "/metrics", "server, routes, -"),
            ("GET", "/metrics/", "metrics, 1.x, database"), ("GET", "/metrics/x", "metrics, 1.x, document"),
            ("GET", "/shop", "shop, 1.x, database"), ("PUT", "/shop", "shop, routes, database"),
            ("DELETE", "/shop/", "shop, routes, database"),
            ("POST", "/shop/", "shop, 1.x, database"), ("PATCH", "/shop/", "shop, 1.x, -"), ("OPTIONS", "/shop/", "shop, 1.x, -"),
            ("PUT", "/shop.a.b/", "shop a.b, 1.x, database"), ("DELETE", "/shop.a.b", "shop a.b, 1.x, -"),
            ("GET", "/shop/_config", "shop, routes, _config"), ("PATCH", "/shop/_config", "shop, routes, -"),
            ("GET", "/shop.a.b/_config", "shop a.b, 1.x, -"), ("GET", "/shop.a.b/_config/sync", "shop a.b, routes, _config"),
            ("GET", "/shop/_config%2Fsync", "shop, 1.x, -"), ("GET", "/shop/%5fconfig", "shop, routes, _config"),
            ("GET", "/shop/_raw/a%2Fb", "shop, routes, _raw"), ("GET", "/shop/_raw//", "shop, 1.x, -"),
            ("GET", "/shop/_raw/a/b", "shop, 1.x, -"),
            ("GET", "/shop/_blipsync", "shop, routes, _blipsync"), ("PUT", "/shop/_blipsync", "shop, routes, -"),
            ("GET", "/shop.a.b/_blipsync", "shop a.b, 1.x, -"), ("GET", "/shop/_changes", "shop, 1.x, _changes"),
            ("GET", "/shop/_nosuch", "shop, 1.x, -"), ("GET", "/shop/_design%2Fx", "shop, 1.x, _design"),
            ("GET", "/shop//", "shop, 1.x, -"),
            ("PUT", "/shop/_design/x", "shop, 1.x, _design"), ("DELETE", "/shop/_session", "shop, routes, -"),
            ("GET", "/shop/_facebook", "shop, routes, -"), ("POST", "/shop/_facebook", "shop, routes, _facebook"),
            ("GET", "/shop.a.b.c/d", "unnamed shop.a.b.c, 1.x, document"),
        ])
    func admin(method: String, path: String, expected: String) throws {
        #expect(try description(resolve(try #require(HTTPRequest.Method(method)), path)) == expected)
    }

    @Test(
        "The public port has the routes of clients alone",
        arguments: [
            ("GET", "/metrics", "metrics, 1.x, database"), ("GET", "/_status", "server, nothing, -"),
            ("GET", "/_ui/", "server, nothing, -"),
            ("GET", "/_ping", "server, routes, _ping"), ("GET", "/shop/_config", "shop, 1.x, -"), ("PUT", "/shop", "shop, 1.x, database"),
            ("DELETE", "/shop/", "shop, 1.x, -"), ("DELETE", "/shop/_session", "shop, routes, _session"),
            ("GET", "/shop/_session/x", "shop, 1.x, -"),
            ("GET", "/shop.a.b/_session", "shop a.b, 1.x, -"), ("PUT", "/shop/_design/x", "shop, 1.x, -"),
            ("POST", "/shop/_bulk_docs", "shop, 1.x, _bulk_docs"), ("GET", "/shop/_user/ann", "shop, 1.x, -"),
        ])
    func publicPort(method: String, path: String, expected: String) throws {
        #expect(try description(resolve(try #require(HTTPRequest.Method(method)), path, on: .public)) == expected)
    }

    @Test("Names are decoded once")
    func parameters() throws {
        guard case .routes(_, let parameters) = try resolve(.delete, "/db/_user/a%252Fb/_session/x").found else {
            Issue.record("no route")
            return
        }
        #expect(parameters == ["a%2Fb", "x"])
    }

    @Test(
        "A method that a path does not have",
        arguments: [
            (PortKind.admin, "/_status", 405, 204, "GET, HEAD"), (.admin, "/_logging", 405, 405, "GET, HEAD, POST, PUT"),
            (.admin, "/shop/_config", 405, 405, "GET, HEAD, POST, PUT"), (.admin, "/shop/_user/x", 405, 204, "DELETE, GET, HEAD, PUT"),
            (.admin, "/shop/_session", 405, 204, "GET, HEAD, POST"), (.public, "/shop/_session", 405, 204, "DELETE, GET, HEAD, POST"),
            (.public, "/shop/_facebook", 405, 405, "POST"), (.public, "/shop/_oidc", 405, 405, "GET"),
            (.public, "/shop/_blipsync", 426, 426, nil),
        ] as [(PortKind, String, Int, Int, String?)])
    func refusals(port: PortKind, path: String, patch: Int, options: Int, allow: String?) throws {
        for (method, status) in [(HTTPRequest.Method.patch, patch), (.options, options)] {
            let resolution = try resolve(method, path, on: port)
            guard case .routes(let routes, _) = resolution.found, resolution.route == nil else {
                Issue.record("\(path) has no routes, or one for \(method)")
                continue
            }
            let response = routes.refusal(of: method)
            #expect(response.status.code == status && response.headers[.allow] == allow, "\(method) \(path)")
        }
    }
}
