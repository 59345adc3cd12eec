import HTTPTypes
import LegacyServer

@testable import AdminPage
@testable import BridgeConfiguration
@testable import Server

/// Everything that can be asked over HTTP, by the tables of those who answer.
enum MatrixRoutes {
    static var legacy: Set<String> {
        Set(LegacyRoute.table.flatMap { route in route.methods.map { "\($0.rawValue) \(route.pattern)" } })
    }

    static var ofDatabase: Set<String> {
        Set(
            AdminRoute.table.flatMap { route in
                let path = route.path.map { segment in
                    switch segment {
                    case .exactly(let text): text
                    case .any: "*"
                    }
                }
                return route.methods.map { "\($0.rawValue) \(path.joined(separator: "/"))" }
            }
        ).union(TokenEndpoint.allCases.map { "\($0.method.rawValue) \($0.rawValue)" })
    }

    /// What administrators do with databases as a whole, all of it on the admin port alone.
    static var ofAdministrators: Set<String> {
        Set(
            DatabaseRoute.table.flatMap { route in
                let path = route.path.map { segment in
                    switch segment {
                    case .exactly(let text): text
                    case .any: "*"
                    }
                }
                return route.methods.map { "\($0.rawValue) \(path.joined(separator: "/"))" }
            })
    }

    static var ofServer: Set<String> {
        let files = PageFile.allCases.filter { $0 != .page }.flatMap { file in
            ServerRoute.page.methods.map { "\($0.rawValue) \(ServerRoute.page.rawValue)/\(file.rawValue)" }
        }
        return Set(ServerRoute.allCases.flatMap { route in route.methods.map { "\($0.rawValue) \(route.rawValue)" } } + files)
    }
}
