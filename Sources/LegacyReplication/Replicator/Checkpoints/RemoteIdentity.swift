import Documents

/// What a server says of a database (`GET /{db}/`) by which another database in its place is told.
struct RemoteIdentity: Hashable, Sendable {
    /// The longest name that is remembered.
    private static let longestName = 200

    /// What another database has another of: the cluster's ID of a Sync Gateway, the time at which a CouchDB from 2 on made the database. The
    /// `instance_start_time` of others is that of the server's start, and says nothing.
    let name: String?

    /// The database's last sequence, where sequences are numbers; those of CouchDB from 2 on are of several shards, each of which may be behind.
    let reached: Int64?

    /// A server that does not say.
    init() {
        name = nil
        reached = nil
    }

    /// - Parameter info: the answer.
    init(_ info: JSONValue, of features: ServerFeatures) {
        let start = features.hasLastingStartTime ? info["instance_start_time"]?.string : nil
        let name = [info["server_uuid"]?.string, start].compactMap { $0 }.first { !$0.isEmpty && $0 != "0" }
        self.name = name.map { String($0.prefix(Self.longestName)) }
        reached = info["update_seq"].flatMap { SequenceOrder.number($0.text) }
    }
}

extension JSONValue {
    fileprivate var text: String {
        switch self {
        case .string(let text), .number(let text): text
        default: ""
        }
    }
}
