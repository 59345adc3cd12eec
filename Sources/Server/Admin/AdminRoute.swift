import HTTP
import HTTPTypes
import HummingbirdCore
import Storage

/// A route of the server's own endpoints below a database's name.
struct AdminRoute: Sendable {
    /// The pattern of a path segment.
    enum Segment: Hashable, Sendable {
        case exactly(String)
        /// Any segment: a name or an ID.
        case any
    }

    let methods: [HTTPRequest.Method]
    let path: [Segment]

    /// The ports that serve the route. Other ports respond as if it did not exist.
    let ports: [PortKind]
    let handler: @Sendable (AdminCall) async throws -> Response

    init(
        _ methods: [HTTPRequest.Method], _ path: [Segment], at ports: [PortKind],
        _ handler: @escaping @Sendable (AdminCall) async throws -> Response
    ) {
        self.methods = methods
        self.path = path
        self.ports = ports
        self.handler = handler
    }

    /// The variable segments of a path that this route serves; `nil` for other paths. An empty segment does not match.
    func parameters(of segments: ArraySlice<PathSegment>) -> [String]? {
        Self.parameters(of: segments, along: path)
    }

    static func parameters(of segments: ArraySlice<PathSegment>, along path: [Segment]) -> [String]? {
        guard segments.count == path.count else { return nil }
        var parameters: [String] = []
        for (segment, expected) in zip(segments, path) {
            switch expected {
            case .exactly(let text): guard segment.value.utf8.elementsEqual(text.utf8) else { return nil }
            case .any:
                guard !segment.isEmpty else { return nil }
                parameters.append(segment.value)
            }
        }
        return parameters
    }
}

extension AdminRoute {
    /// All of the server's own endpoints below a database's name.
    static let table: [AdminRoute] =
        [
            AdminRoute([.get, .head], [.exactly("_session")], at: [.public, .admin], LoginEndpoint.describe),
            AdminRoute([.post], [.exactly("_session")], at: [.public], LoginEndpoint.login),
            AdminRoute([.delete], [.exactly("_session")], at: [.public], LoginEndpoint.logout),
            AdminRoute([.post], [.exactly("_session")], at: [.admin], SessionEndpoint.create),
            AdminRoute([.get, .head], [.exactly("_session"), .any], at: [.admin], SessionEndpoint.get),
            AdminRoute([.delete], [.exactly("_session"), .any], at: [.admin], SessionEndpoint.delete),
            AdminRoute([.get, .head], [.exactly("_user")], at: [.admin], AccountEndpoint.listUsers),
            AdminRoute([.post], [.exactly("_user")], at: [.admin], AccountEndpoint.post(.user)),
            AdminRoute([.get, .head], [.exactly("_user"), .any], at: [.admin], AccountEndpoint.get(.user)),
            AdminRoute([.put], [.exactly("_user"), .any], at: [.admin], AccountEndpoint.put(.user)),
            AdminRoute([.delete], [.exactly("_user"), .any], at: [.admin], AccountEndpoint.delete(.user)),
            AdminRoute([.delete], [.exactly("_user"), .any, .exactly("_session")], at: [.admin], SessionEndpoint.deleteAll),
            AdminRoute([.delete], [.exactly("_user"), .any, .exactly("_session"), .any], at: [.admin], SessionEndpoint.deleteOfUser),
            AdminRoute([.get, .head], [.exactly("_role")], at: [.admin], AccountEndpoint.listRoles),
            AdminRoute([.post], [.exactly("_role")], at: [.admin], AccountEndpoint.post(.role)),
            AdminRoute([.get, .head], [.exactly("_role"), .any], at: [.admin], AccountEndpoint.get(.role)),
            AdminRoute([.put], [.exactly("_role"), .any], at: [.admin], AccountEndpoint.put(.role)),
            AdminRoute([.delete], [.exactly("_role"), .any], at: [.admin], AccountEndpoint.delete(.role)),
            AdminRoute([.get, .head], [.exactly("_fleet")], at: [.admin], FleetEndpoint.get),
            AdminRoute([.get, .head], [.exactly("_explain"), .any], at: [.admin], ExplanationEndpoint.get),
        ] + replications + parking
}

extension AdminRoute {
    /// Only on the admin port, because a replication can make the bridge connect to any address.
    static let replications: [AdminRoute] = [
        AdminRoute([.get, .head], [.exactly("_replication")], at: [.admin], ReplicationEndpoint.list),
        AdminRoute([.post], [.exactly("_replication")], at: [.admin], ReplicationEndpoint.post),
        AdminRoute([.get, .head], [.exactly("_replication"), .any], at: [.admin], ReplicationEndpoint.get),
        AdminRoute([.put], [.exactly("_replication"), .any], at: [.admin], ReplicationEndpoint.put),
        AdminRoute([.delete], [.exactly("_replication"), .any], at: [.admin], ReplicationEndpoint.delete),
        AdminRoute([.get, .head], [.exactly("_replicationStatus")], at: [.admin], ReplicationStatusEndpoint.list),
        AdminRoute([.get, .head], [.exactly("_replicationStatus"), .any], at: [.admin], ReplicationStatusEndpoint.get),
        AdminRoute([.put], [.exactly("_replicationStatus"), .any], at: [.admin], ReplicationStatusEndpoint.put),
    ]
}

extension AdminRoute {
    /// Revisions that one side of a replication has refused.
    static let parking: [AdminRoute] = [
        AdminRoute([.get, .head], [.exactly("_parked")], at: [.admin], ParkedEndpoint.list),
        AdminRoute([.post], [.exactly("_parked")], at: [.admin], ParkedEndpoint.post),
    ]
}
