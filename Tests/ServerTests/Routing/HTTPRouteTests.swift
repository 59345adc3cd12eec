import HTTPListener
import HTTPTypes
import LegacyServer
import Testing

@testable import BridgeConfiguration
@testable import Server

@Suite("The table of routes")
struct HTTPRouteTests {
    private static func name(_ route: HTTPRoute) -> String {
        switch route.pattern {
        case .path(let path): "\(route.methods.map(\.rawValue)) \(route.place) \(path)"
        case .legacy(let pattern): "\(route.methods.map(\.rawValue)) \(pattern)"
        }
    }

    /// Whether some path matches both patterns.
    private static func overlap(_ one: PathPattern, _ other: PathPattern) -> Bool {
        func isOpen(_ pattern: PathPattern) -> Bool { pattern.segments.last == .rest }
        let (first, second) = (one.segments.filter { $0 != .rest }, other.segments.filter { $0 != .rest })
        guard first.count == second.count || first.count < second.count && isOpen(one) || second.count < first.count && isOpen(other)
        else { return false }
        return zip(first, second).allSatisfy { $0 == $1 || $0 == .any || $1 == .any }
    }

    private static func overlap(_ one: HTTPRoute, _ other: HTTPRoute) -> Bool {
        guard (one.place == .server) == (other.place == .server) else { return false }
        switch (one.pattern, other.pattern) {
        case (.path(let first), .path(let second)): return overlap(first, second)
        case (.legacy(let first), .legacy(let second)): return first == second
        case (.path(let path), .legacy(let pattern)), (.legacy(let pattern), .path(let path)):
            switch pattern {
            case .keyspace: return path.segments.isEmpty
            case .endpoint(let name): return path.segments.first == .exactly(name)
            case .local: return path.segments.first == .exactly("_local")
            case .design: return path.segments.first == .exactly("_design")
            case .document, .attachment:
                if case .exactly(let name)? = path.segments.first { return !name.hasPrefix("_") }
                return !path.segments.isEmpty
            }
        }
    }

    @Test("No request is served by two routes", arguments: PortKind.allCases)
    func unambiguous(port: PortKind) {
        let routes = HTTPRoute.all.filter { $0.audience(on: port) != .nobody }
        var shared: [String] = []
        for (index, route) in routes.enumerated() {
            for other in routes.dropFirst(index + 1) where Self.overlap(route, other) && !Set(route.methods).isDisjoint(with: other.methods)
            {
                shared.append("\(Self.name(route)), \(Self.name(other))")
            }
        }
        // An administrator creates a database; below a collection's name, the 1.x listener responds to the same request.
        #expect(shared == (port == .admin ? [#"["PUT"] database , ["PUT"] keyspace"#] : []))
    }

    @Test(
        "Routes of one path differ in methods, audience and handler alone, and no pattern of a port hides another",
        arguments: PortKind.allCases)
    func paths(port: PortKind) {
        let routes = HTTPRoute.all.filter { $0.audience(on: port) != .nobody }
        for (index, route) in routes.enumerated() {
            for other in routes.dropFirst(index + 1) where Self.overlap(route, other) && route.stage != .caller && other.stage != .caller {
                #expect(route.pattern == other.pattern && route.place == other.place && route.stage == other.stage, "\(Self.name(route))")
                #expect(route.refusal == other.refusal && route.requirement == other.requirement, "\(Self.name(route))")
            }
        }
    }

    @Test("Each route has an audience on each port, and its handler is called for that audience")
    func audiences() {
        for route in HTTPRoute.all {
            #expect(!route.methods.isEmpty && !route.ports.isEmpty, "\(Self.name(route))")
            switch route.audience(on: .public) {
            case .nobody: break
            case .everybody: #expect(route.stage == .server || route.stage == .online, "\(Self.name(route))")
            case .caller: #expect(route.stage == .caller, "\(Self.name(route))")
            case .role: Issue.record("\(Self.name(route)): the public port knows no roles")
            }
            switch route.audience(on: .admin) {
            case .nobody: #expect(route.pattern == .path("_session"), "\(Self.name(route)): name it here with the reason")
            case .everybody: #expect(route.pattern == .path("_ping"), "\(Self.name(route)): name it here with the reason")
            case .caller: Issue.record("\(Self.name(route)): the admin port knows roles only")
            case .role: break
            }
        }
    }

    @Test("Logins, the health check, the welcome and both protocols are on the public port, and nothing else")
    func publicPort() {
        let names: Set<String> = Set(HTTPRoute.all.filter { $0.audience(on: .public) == .everybody }.map(\.requestClass))
        #expect(names == Set(["root", "_ping", "_session"] + TokenEndpoint.allCases.map(\.rawValue)))
        for route in HTTPRoute.all where route.audience(on: .public) == .caller {
            if case .path(let path) = route.pattern { #expect(path == "_blipsync") }
        }
    }

    @Test("Each GET on the admin port is for everybody with a login")
    func reading() {
        // Clients write documents through the WebSocket. A token's GET logs a user in.
        let others = Set(["_blipsync"] + TokenEndpoint.allCases.map(\.rawValue))
        let routes = HTTPRoute.all.filter { $0.methods.contains(.get) && $0.ports.contains(.admin) }
        #expect(routes.count > 20)
        for route in routes where route.audience(on: .admin) != .everybody {
            let role: AdminRole = others.contains(route.requestClass) ? .administrator : .readOnly
            #expect(route.audience(on: .admin) == .role(role), "\(Self.name(route)): name it here with the reason")
        }
    }

    @Test("Feeds and WebSockets last, and nothing else does")
    func lasting() {
        #expect(Set(HTTPRoute.all.filter(\.lasts).map(\.requestClass)) == ["_changes", "_blipsync"])
    }
}
