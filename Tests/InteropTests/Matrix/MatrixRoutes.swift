import HTTP
import HTTPListener
import HTTPTypes
import LegacyServer

@testable import AdminPage
@testable import BridgeConfiguration
@testable import Server

/// Everything that can be asked over HTTP, by the table of routes: each method with its path, without the database's name.
enum MatrixRoutes {
    static let legacy = names { $0.place != .server && $0.stage == .caller && $0.pattern != blipSync }

    /// What the server itself serves behind a database's name.
    static let ofDatabase = names { $0.stage == .online }

    /// What administrators do with databases as a whole, all of it on the admin port alone.
    static let ofAdministrators = names { $0.stage == .registered }

    static let ofServer = names { $0.stage == .server }

    /// It answers with a WebSocket: ``BLIPMatrixTests``.
    static let blipSync = HTTPRoute.Pattern.path("_blipsync")

    private static func names(_ isOne: (HTTPRoute) -> Bool) -> Set<String> {
        Set(
            HTTPRoute.all.filter(isOne).flatMap { route in
                paths(route.pattern).flatMap { path in route.methods.map { "\($0.rawValue) \(path)" } }
            })
    }

    private static func paths(_ pattern: HTTPRoute.Pattern) -> [String] {
        switch pattern {
        case .path("_ui/**"): ["_ui"] + PageFile.allCases.filter { $0 != .page }.map { "_ui/\($0.rawValue)" }
        case .path(let path): ["\(path)"]
        case .legacy(let pattern): ["\(pattern)"]
        }
    }
}
