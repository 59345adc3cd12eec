import HTTP
import HTTPTypes
import LegacyReplication

/// One entry of the table of what each role may do on the admin port.
struct AdminPermission: Sendable {
    /// What a request is about.
    enum Subject: Hashable, Sendable {
        /// `GET /`
        case root
        case server(ServerRoute)
        /// What the server itself serves behind a database's name, such as `_cutover`.
        case database([AdminRoute.Segment])
        /// What the 1.x listener serves behind a keyspace's name.
        case keyspace(LegacyRoute.Pattern)
    }

    /// The least role that is needed; `nil` if nobody has to log in.
    let role: AdminRole?
    let methods: [HTTPRequest.Method]
    let subject: Subject

    init(_ role: AdminRole?, _ methods: [HTTPRequest.Method], _ subject: Subject) {
        self.role = role
        self.methods = methods
        self.subject = subject
    }

    /// What a request needs. What the table does not have needs an administrator.
    struct Need: Hashable, Sendable {
        /// `nil` if nobody has to log in.
        let role: AdminRole?

        /// Whether the request may change something.
        let isChange: Bool
    }

    static func need(of method: HTTPRequest.Method, _ target: RequestTarget, table: [AdminPermission] = table) -> Need {
        // It tells which methods a path takes.
        if method == .options { return Need(role: .readOnly, isChange: false) }
        let place = Place(target)
        guard let entry = table.first(where: { $0.methods.contains(method) && $0.applies(to: target, place) }) else {
            return Need(role: .administrator, isChange: method != .get && method != .head)
        }
        return Need(role: entry.role, isChange: entry.role.map { $0 > .readOnly } ?? false)
    }

    private func applies(to target: RequestTarget, _ place: Place) -> Bool {
        switch (subject, place) {
        case (.root, .root): true
        case (.server(let route), .server(let named)): route == named
        case (.database(let path), .database): AdminRoute.parameters(of: target.segments.dropFirst(), along: path) != nil
        case (.keyspace(let pattern), .database): LegacyRoute.pattern(of: target, from: 1) == pattern
        default: false
        }
    }

    /// Where a target leads to, as the dispatcher sees it.
    private enum Place {
        case root
        case server(ServerRoute)
        case database
        case nowhere

        init(_ target: RequestTarget) {
            guard let first = target.segments.first, !first.isEmpty else {
                self = target.segments.count > 1 ? .nowhere : .root
                return
            }
            if let route = ServerRoute(target) {
                self = .server(route)
            } else {
                self = first.value.hasPrefix("_") ? .nowhere : .database
            }
        }
    }
}
