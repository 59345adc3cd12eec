import HTTPTypes

extension AdminRoute {
    /// The admin port alone: whoever may add a replication can have the bridge connect to anywhere.
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
