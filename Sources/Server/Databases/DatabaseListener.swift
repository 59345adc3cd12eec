import Gateway
import HTTP
import HTTPTypes
import HummingbirdCore
import Logging

/// Serves what administrators do with databases as a whole: make them, configure them, take them offline, look into them.
struct DatabaseListener: Sendable {
    let databases: DatabaseRegistry
    let logger: Logger

    /// Answers a request of the admin port; `nil` if the path, with its method, is none of the table's.
    func respond(to request: Request, target: RequestTarget, at place: KeyspaceName) async -> Response? {
        let segments = target.segments.dropFirst()
        let found = DatabaseRoute.table.lazy.filter { $0.isOfKeyspace || place.collection == nil }.compactMap { route in
            route.parameters(of: segments).map { (route, $0) }
        }
        guard found.first != nil else { return nil }
        guard let (route, parameters) = found.first(where: { $0.0.methods.contains(request.method) }) else {
            // The path of the database itself is others', too.
            guard !segments.isEmpty else { return nil }
            return ServerAnswer.methodNotAllowed(Set(found.flatMap(\.0.methods).map(\.rawValue)).sorted().joined(separator: ", "))
        }
        let call = DatabaseCall(request: request, query: target.query, place: place, databases: databases, parameters: parameters)
        do {
            let response = try await route.handler(call)
            return request.method == .head ? response.createHeadResponse() : response
        } catch {
            return AccessAnswer(sendsChallenge: false, logger: logger).response(to: Self.translated(error))
        }
    }

    private static func translated(_ error: any Error) -> any Error {
        guard let error = error as? GatewayError else { return error }
        switch error.code {
        case .badRequest, .configuration: return AdminError(.badRequest, error.message)
        case .notFound: return AdminError(.notFound, error.message)
        case .unavailable: return AdminError(.serviceUnavailable, error.message)
        default: return error
        }
    }
}

extension DatabaseRoute {
    /// The open parts of a path that this route serves; `nil` for other paths.
    func parameters(of segments: ArraySlice<PathSegment>) -> [String]? {
        AdminRoute.parameters(of: segments, along: path)
    }
}
