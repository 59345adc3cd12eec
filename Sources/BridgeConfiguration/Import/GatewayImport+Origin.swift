import Gateway

extension GatewayImport {
    /// Adds the settings with which a database takes over from a running server: a replication with it, the cutover, and the upstream that verifies
    /// logins.
    mutating func addOrigin(
        _ origin: GatewayOrigin, database: String, collections: Set<CollectionName>, into members: inout [YAMLEntry]
    ) {
        let path = "/\(GatewayServer.encoded(database))"
        let named = collections.filter { $0 != .default }.sorted { $0.description < $1.description }
        var replication = [
            YAMLEntry("remote", .text((named.isEmpty ? origin.admin : Self.socket(origin.publicURL)) + path)),
            YAMLEntry("direction", .plain(named.isEmpty ? "push-and-pull" : "pull")), YAMLEntry("continuous", .plain("true")),
        ]
        if let user = origin.user {
            let login = [YAMLEntry("user", .text(user)), YAMLEntry("password", .variable(GatewayOrigin.passwordVariable))]
            replication.append(YAMLEntry("auth", .mapping([YAMLEntry("basic", .mapping(login))])))
        }
        if !named.isEmpty { replication.append(YAMLEntry("collections", .texts(named.map(\.description)))) }
        let name = Self.add(YAMLEntry("legacy", .mapping(replication)), to: "replications", in: &members)
        Self.add(
            YAMLEntry("upstream", .mapping([YAMLEntry("url", .text(origin.publicURL + path))])), to: "authenticators", in: &members)
        if named.isEmpty {
            members.append(YAMLEntry("cutover", .mapping([YAMLEntry("legacy", .text(name))])))
        } else {
            notes.append(
                "databases.\(database): the stages of `cutover` are for servers without collections; "
                    + "`replications.\(name)` pulls the collections over the 2.x+ protocol, with a login that has the channel `*` in each")
        }
        notes.append(
            "databases.\(database).authenticators.upstream.url: \(origin.publicURL + path) has to be the address at which devices log in now"
        )
    }

    /// Adds the notes that concern all databases of a running server.
    mutating func addOriginNotes(_ origin: GatewayOrigin) {
        notes.append(
            "users: a running server does not show hashes of passwords. Users with `upstream: true` log in as before: their first login here is "
                + "checked at `authenticators.upstream`, and their password is known here from then on. Keep the old server running until all users have logged in"
        )
        notes.append(
            origin.isLocal
                ? "listen: the old server is on this machine, so the bridge uses other ports; point devices at them"
                : "listen: these are the old server's addresses, for a bridge in its place")
        if origin.user != nil {
            notes.append(
                "replications: set \(GatewayOrigin.passwordVariable) in the environment to the password of the old server's user")
        }
    }

    /// - Returns: The name of the added member, which gets a suffix if the name is in use.
    @discardableResult
    private static func add(_ entry: YAMLEntry, to key: String, in members: inout [YAMLEntry]) -> String {
        guard let index = members.firstIndex(where: { $0.key == key }), case .mapping(let others) = members[index].value else {
            members.append(YAMLEntry(key, .mapping([entry])))
            return entry.key
        }
        let isTaken = others.contains { $0.key == entry.key }
        let added = YAMLEntry(isTaken ? "\(entry.key)-server" : entry.key, entry.value)
        members[index] = YAMLEntry(key, .mapping(others.filter { $0.key != added.key } + [added]))
        return added.key
    }

    private static func socket(_ url: String) -> String {
        url.hasPrefix("https://") ? "wss://" + url.dropFirst(8) : "ws://" + url.dropFirst(7)
    }
}
