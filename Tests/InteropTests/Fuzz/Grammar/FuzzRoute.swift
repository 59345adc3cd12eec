import HTTPTypes
import LegacyServer

@testable import AdminPage
@testable import BridgeConfiguration
@testable import Server

/// One method of one route, as the tables of those who answer have it, with what its requests say.
struct FuzzRoute: Sendable {
    /// Where its path begins.
    enum Place: Hashable, Sendable {
        case server
        case database
        /// A database, or a collection of one.
        case keyspace
    }

    enum Segment: Sendable {
        case exactly(String)
        case open(Term)

        func isNamed(_ name: String) -> Bool {
            if case .exactly(name) = self { true } else { false }
        }
    }

    let method: String
    let path: [Segment]
    let place: Place
    let ports: [PortKind]

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

    /// Whether everybody may ask, so that nobody has to log in first.
    var isOpen: Bool {
        guard case .exactly(let first)? = path.first else { return place == .server }
        return place == .server && ports.contains(.public) || first == "_session" || TokenEndpoint(rawValue: first) != nil
    }

    /// Everything that the tables have. A route without a shape is missing: a test says so.
    static let all = legacy + ofDatabase + ofAdministrators + ofServer + tokens + [blipSync, root]

    /// At which ports a route is, whichever entry of a table it has there.
    static let ports = Dictionary(all.map { ($0.name, $0.ports) }) { $0 + $1 }

    static let legacy = LegacyRoute.table.flatMap { route in
        route.methods.compactMap { method in
            RequestShape.legacy[route.pattern].map {
                FuzzRoute(
                    method: method.rawValue, path: path(of: route.pattern), place: .keyspace,
                    ports: route.audience == .everyone ? [.public, .admin] : [.admin], shape: $0)
            }
        }
    }

    static let ofDatabase = AdminRoute.table.flatMap { route in
        route.methods.compactMap { method in
            RequestShape.ofDatabase[text(route.path)].map {
                FuzzRoute(
                    method: method.rawValue, path: path(route.path), place: .database, ports: route.ports, shape: $0)
            }
        }
    }

    static let ofAdministrators = DatabaseRoute.table.flatMap { route in
        route.methods.compactMap { method in
            RequestShape.ofAdministrators[text(route.path)].map {
                FuzzRoute(
                    method: method.rawValue, path: path(route.path), place: route.isOfKeyspace ? .keyspace : .database, ports: [.admin],
                    shape: $0)
            }
        }
    }

    static let ofServer = ServerRoute.allCases.flatMap { route in
        route.methods.flatMap { method in
            let files = route == .page ? PageFile.allCases.map { [Segment.exactly($0.rawValue)] } : []
            return ([[]] + files).map {
                FuzzRoute(
                    method: method.rawValue, path: [.exactly(route.rawValue)] + $0, place: .server, ports: route.ports,
                    shape: .server(route))
            }
        }
    }

    private static let tokens = TokenEndpoint.allCases.map {
        FuzzRoute(
            method: $0.method.rawValue, path: [.exactly($0.rawValue)], place: .database, ports: [.public, .admin],
            shape: .token($0))
    }

    private static let blipSync = FuzzRoute(
        method: "GET", path: [.exactly("_blipsync")], place: .database, ports: [.public, .admin], shape: RequestShape())

    private static let root = FuzzRoute(
        method: "GET", path: [], place: .server, ports: [.public, .admin], shape: RequestShape())

    static func text(_ path: [AdminRoute.Segment]) -> String {
        path.map { segment in
            switch segment {
            case .exactly(let text): text
            case .any: "*"
            }
        }.joined(separator: "/")
    }

    private static func path(_ path: [AdminRoute.Segment]) -> [Segment] {
        var before = ""
        return path.map { segment in
            switch segment {
            case .exactly(let text):
                before = text
                return .exactly(text)
            case .any: return .open(RequestShape.open[before] ?? .text)
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
