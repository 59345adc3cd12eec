import HTTPTypes
import HummingbirdCore

/// One entry of the table of what administrators do with databases as a whole. All of it is the admin port's alone.
struct DatabaseRoute: Sendable {
    typealias Handler = @Sendable (DatabaseCall) async throws -> Response

    let methods: [HTTPRequest.Method]
    let path: [AdminRoute.Segment]

    /// Whether it goes to a collection, too: `/{db}.{scope}.{collection}/…`.
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
