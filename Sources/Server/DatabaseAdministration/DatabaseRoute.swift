import BridgeConfiguration
import Gateway
import HTTP
import HTTPTypes
import HummingbirdCore
import Logging
import ReplicationService

/// A route for administrative requests on whole databases. All are on the admin port only.
struct DatabaseRoute: Sendable {
    typealias Handler = @Sendable (DatabaseCall) async throws -> Response

    let methods: [HTTPRequest.Method]
    let path: [AdminRoute.Segment]

    /// Whether the route also applies to a collection: `/{db}.{scope}.{collection}/…`.
    let isOfKeyspace: Bool
    let handler: Handler

    init(
        _ methods: [HTTPRequest.Method], _ path: [AdminRoute.Segment], ofKeyspace isOfKeyspace: Bool = false, _ handler: @escaping Handler
    ) {
        self.methods = methods
        self.path = path
        self.isOfKeyspace = isOfKeyspace
        self.handler = handler
    }

    static let table: [DatabaseRoute] = [
        DatabaseRoute([.put], [], ConfigurationEndpoint.create),
        DatabaseRoute([.delete], [], ConfigurationEndpoint.remove),
        DatabaseRoute([.get, .head], [.exactly("_config")], ConfigurationEndpoint.get),
        DatabaseRoute([.put], [.exactly("_config")], ConfigurationEndpoint.replace),
        DatabaseRoute([.post], [.exactly("_config")], ConfigurationEndpoint.overlay),
        DatabaseRoute([.get, .head], [.exactly("_config"), .exactly("sync")], ofKeyspace: true, SyncFunctionEndpoint.get),
        DatabaseRoute([.put], [.exactly("_config"), .exactly("sync")], ofKeyspace: true, SyncFunctionEndpoint.put),
        DatabaseRoute([.delete], [.exactly("_config"), .exactly("sync")], ofKeyspace: true, SyncFunctionEndpoint.delete),
        DatabaseRoute([.post], [.exactly("_online")], StateEndpoint.goOnline),
        DatabaseRoute([.post], [.exactly("_offline")], StateEndpoint.goOffline),
        DatabaseRoute([.post], [.exactly("_flush")], StateEndpoint.flush),
        DatabaseRoute([.get, .head], [.exactly("_resync")], ResyncEndpoint.describe),
        DatabaseRoute([.post], [.exactly("_resync")], ResyncEndpoint.run),
        DatabaseRoute([.get, .head], [.exactly("_overview")], OverviewEndpoint.get),
        DatabaseRoute([.get, .head], [.exactly("_migrations")], MigrationEndpoint.describe),
        DatabaseRoute([.post], [.exactly("_migrations")], MigrationEndpoint.run),
        DatabaseRoute([.get, .head], [.exactly("_cutover")], CutoverEndpoint.describe),
        DatabaseRoute([.post], [.exactly("_cutover")], CutoverEndpoint.run),
        DatabaseRoute([.get, .head], [.exactly("_compact")], CompactionEndpoint.describe),
        DatabaseRoute([.post], [.exactly("_compact")], CompactionEndpoint.run),
        DatabaseRoute([.post], [.exactly("_purge")], ofKeyspace: true, PurgeEndpoint.purge),
        DatabaseRoute([.get, .head], [.exactly("_raw"), .any], ofKeyspace: true, RawDocumentEndpoint.get),
        DatabaseRoute([.get, .head], [.exactly("_revtree"), .any], ofKeyspace: true, RawDocumentEndpoint.tree),
    ]
}

/// Serves administrative requests on whole databases: create, configure, take offline, inspect.
struct DatabaseListener: Sendable {
    let databases: DatabaseRegistry
    let logger: Logger

    /// Responds to a request to the admin port; `nil` if the table has no route for its path and method.
    func respond(to request: Request, target: RequestTarget, at place: KeyspaceName) async -> Response? {
        let segments = target.segments.dropFirst()
        let found = DatabaseRoute.table.lazy.filter { $0.isOfKeyspace || place.collection == nil }.compactMap { route in
            route.parameters(of: segments).map { (route, $0) }
        }
        guard found.first != nil else { return nil }
        guard let (route, parameters) = found.first(where: { $0.0.methods.contains(request.method) }) else {
            // Other listeners also handle the path of the database itself.
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
    /// The variable segments of a path that this route serves; `nil` for other paths.
    func parameters(of segments: ArraySlice<PathSegment>) -> [String]? {
        AdminRoute.parameters(of: segments, along: path)
    }
}
