import HTTPTypes

extension AdminRoute {
    /// Revisions that one side of a replication has refused.
    static let parking: [AdminRoute] = [
        AdminRoute([.get, .head], [.exactly("_parked")], at: [.admin], ParkedEndpoint.list),
        AdminRoute([.post], [.exactly("_parked")], at: [.admin], ParkedEndpoint.post),
    ]
}
