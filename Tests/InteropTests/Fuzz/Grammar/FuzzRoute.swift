import HTTPListener
import HTTPTypes
import LegacyServer

@testable import AdminPage
@testable import BridgeConfiguration
@testable import Server

/// One method of one route, as the table of routes has it, with what its requests say.
struct FuzzRoute: Sendable {
    enum Segment: Sendable {
        case exactly(String)
        case open(Term)

        func isNamed(_ name: String) -> Bool {
            if case .exactly(name) = self { true } else { false }
        }
    }

    let method: String
    let path: [Segment]
    let place: HTTPRoute.Place
    let ports: [PortKind]

    /// Whether everybody may ask, so that nobody has to log in first.
    let isOpen: Bool

    let shape: RequestShape

    var name: String {
        let segments = path.map { segment in
            switch segment {
            case .exactly(let text): text
            case .open: "*"
            }
        }
        return "\(method) \(place == .server ? "/" : "/{db}/")\(segments.joined(separator: "/"))"
    }

    /// Everything that the table has. A route without a shape is missing: a test says so.
    static let all = HTTPRoute.all.flatMap(shaped)

    /// What is served behind a keyspace.
    static let legacy = HTTPRoute.all.filter { if case .legacy = $0.pattern { true } else { false } }.flatMap(shaped)

    private static func shaped(_ route: HTTPRoute) -> [FuzzRoute] {
        guard let shape = RequestShape.of(route) else { return [] }
        return paths(route.pattern).flatMap { path in
            route.methods.map { method in
                FuzzRoute(
                    method: method.rawValue, path: path, place: route.place, ports: route.ports,
                    isOpen: route.audience(on: .public) == .everybody, shape: shape)
            }
        }
    }

    /// At which ports a route is, whichever entry of the table it has there.
    static let ports = Dictionary(all.map { ($0.name, $0.ports) }) { $0 + $1 }

    private static func paths(_ pattern: HTTPRoute.Pattern) -> [[Segment]] {
        switch pattern {
        case .path("_ui/**"): [[.exactly("_ui")]] + PageFile.allCases.map { [.exactly("_ui"), .exactly($0.rawValue)] }
        case .path(let pattern): [path(pattern)]
        case .legacy(let pattern): [path(of: pattern)]
        }
    }

    private static func path(_ pattern: PathPattern) -> [Segment] {
        var before = ""
        return pattern.segments.map { segment in
            switch segment {
            case .exactly(let text):
                before = text
                return .exactly(text)
            case .any, .rest: return .open(RequestShape.open[before] ?? .text)
            }
        }
    }

    private static func path(of pattern: LegacyRoute.Pattern) -> [Segment] {
        switch pattern {
        case .keyspace: []
        case .endpoint(let name): [.exactly(name)]
        case .local: [.exactly("_local"), .open(.known(.checkpoint))]
        case .design: [.exactly("_design"), .open(.choice(["app", "x"]))]
        case .document: [.open(.known(.id))]
        case .attachment: [.open(.known(.id)), .open(.known(.attachment))]
        }
    }
}
