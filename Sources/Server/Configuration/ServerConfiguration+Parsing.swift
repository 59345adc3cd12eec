import Access
import Foundation
import Gateway
import HTTP
import Storage
import Yams

extension ServerConfiguration {
    init(_ root: ConfigurationNode, folder: URL) throws {
        self.init()
        let members = try root.members([
            "listen", "databases", "databasesFolder", "allowFlush", "serverHeader", "limits", "logging", "adminAuth", "audit",
        ])
        if let node = members["listen"] { listen = try ListenConfiguration(node, folder: folder) }
        if let node = members["serverHeader"] { serverHeader = try node.text() }
        databasesFolder = Self.path(try members["databasesFolder"]?.text() ?? databasesFolder, in: folder)
        if let node = members["allowFlush"] { allowsFlush = try node.bool() }
        if let node = members["limits"] { limits = try ServerLimits(node) }
        if let node = members["logging"] { logging = try LogSettings(node) }
        if let node = members["adminAuth"] { adminAuth = try AdminAuthConfiguration(node, listen: listen) }
        if let node = members["audit"] {
            guard let file = try node.members(["file"])["file"] else { throw node.error(.missingKey, "`audit` needs `file`") }
            auditFile = Self.path(try file.nonEmptyText(), in: folder)
        }
        guard let node = members["databases"] else {
            throw root.error(.missingKey, "the file needs `databases` with at least one")
        }
        databases = try node.anyMembers().map { try ServedDatabase(name: $0, $1, folder: folder) }
        guard !databases.isEmpty else { throw node.error(.missingKey, "there is no database; name at least one") }
        if listen.tls?.clientCA == nil, let database = databases.first(where: { $0.authenticators.clientCertificate != nil }) {
            throw ConfigurationError(
                .missingKey, at: "databases.\(database.configuration.name).authenticators.clientCertificate",
                "clients are asked for certificates only with `listen.tls.clientCA`, the authority that signs them")
        }
    }

    /// A path in the file is relative to the file's folder.
    static func path(_ text: String, in folder: URL) -> String {
        URL(fileURLWithPath: text, relativeTo: folder).standardizedFileURL.path
    }
}

extension ListenConfiguration {
    init(_ node: ConfigurationNode, folder: URL) throws {
        self.init()
        let members = try node.members(["public", "admin", "tls", "adminTLS", "trustedProxies", "blipCompression"])
        func address(_ node: ConfigurationNode) throws -> ListenAddress {
            guard let address = ListenAddress(try node.text()) else {
                throw node.error(.badValue, "expected an address such as `127.0.0.1:4984`, not `\(try node.text())`")
            }
            return address
        }
        if let node = members["public"] { publicAddress = try address(node) }
        if let node = members["admin"] { adminAddress = try address(node) }
        if let node = members["tls"] { tls = try TLSFiles(node, folder: folder) }
        if let node = members["adminTLS"] { adminTLS = try TLSFiles(node, folder: folder) }
        if let node = members["blipCompression"] { blipCompression = try node.int(in: 0...9) }
        if let node = members["trustedProxies"] {
            trustedProxies = TrustedProxies(
                try node.texts().map { text in
                    guard let range = AddressRange(text) else {
                        throw node.error(.badValue, "expected an address or a network such as `10.0.0.0/8`, not `\(text)`")
                    }
                    return range
                })
        }
    }
}

extension TLSFiles {
    init(_ node: ConfigurationNode, folder: URL) throws {
        let members = try node.members(["certificate", "key", "clientCA", "minimumVersion"])
        guard let certificate = members["certificate"], let key = members["key"] else {
            throw node.error(.missingKey, "TLS needs `certificate` and `key`, both PEM files")
        }
        self.init(
            certificate: ServerConfiguration.path(try certificate.text(), in: folder),
            key: ServerConfiguration.path(try key.text(), in: folder),
            clientCA: try members["clientCA"].map { ServerConfiguration.path(try $0.text(), in: folder) })
        if let node = members["minimumVersion"] { minimumVersion = try node.choice(MinimumVersion.self) }
    }
}

extension ServerConfiguration.ServedDatabase {
    private static let keys =
        [
            "store", "guest", "sessions", "wwwAuthenticate", "authenticators", "defaultCollection", "conflicts", "departures", "limits",
            "routesFile", "allowFlush", "replications", "deltaSync", "users", "roles", "cors", "passwords",
            "cutover",
        ] + RoutePlan.keys

    init(name: String, _ node: ConfigurationNode, folder: URL) throws {
        guard Self.isAllowed(name) else {
            throw node.error(
                .badValue,
                "`\(name)` is not a database name; begin with a lower-case letter and use lower-case letters, digits, `_`, `-`, `$`, `(`, `)`, `+`"
            )
        }
        let members = try node.members(Self.keys)
        guard let store = members["store"] else {
            throw node.error(.missingKey, "the database needs `store`, the folder of its store, such as `./\(name).dualgauge`")
        }
        self.store = ServerConfiguration.path(try store.text(), in: folder)
        configuration = DatabaseConfiguration(name: name)
        if let guest = members["guest"] {
            let guest = try guest.members(["enabled", "channels"])
            configuration.guest = GuestConfiguration(
                isEnabled: try guest["enabled"]?.bool() ?? false, channels: try guest["channels"]?.texts() ?? [])
        }
        if let node = members["sessions"] { access = try AccessConfiguration(sessions: node) }
        if let node = try members["passwords"]?.members(["cost"])["cost"] {
            access.passwordCost = .configured(try node.int(in: ScryptCost.configurable))
        }
        if let node = members["wwwAuthenticate"] { access.sendsChallenge = try node.bool() }
        if let node = members["cors"] { access.cors = try CrossOriginPolicy(node) }
        if let node = members["allowFlush"] { allowsFlush = try node.bool() }
        if let node = members["defaultCollection"] { configuration.defaultCollection = try node.choice(DefaultCollectionPolicy.self) }
        if let node = members["conflicts"] {
            if node.node.mapping == nil {
                configuration.conflicts = try node.choice(ConflictPolicy.self)
            } else {
                guard let function = try node.members(["javascript"])["javascript"] else {
                    throw node.error(.missingKey, "expected `keep`, `resolve`, `refuse`, or `javascript` with the function that resolves")
                }
                configuration.conflicts = .resolve
                configuration.conflictResolver = try function.text()
            }
        }
        if let node = members["departures"] { configuration.departures = try node.choice(DeparturePolicy.self) }
        if let node = members["deltaSync"] { configuration.deltaSync = try node.bool() }
        if let node = members["limits"] { configuration.limits = try DatabaseLimits(node) }
        if let node = members["authenticators"] { authenticators = try AuthenticatorsConfiguration(node, folder: folder) }
        let plan = try Self.plan(members, folder: folder)
        configuration.collections = plan.collections
        configuration.routes = plan.routes
        try plan.check(node)
        let known = Set(plan.collections.map(\.name)).union([.default])
        accounts = try members["roles"].map { try ConfiguredAccount.all($0, .role, collections: known) } ?? []
        accounts += try members["users"].map { try ConfiguredAccount.all($0, .user, collections: known) } ?? []
        for (name, node) in try members["replications"]?.anyMembers() ?? [] {
            guard (1...ReplicationDefinition.maximumNameLength).contains(name.utf8.count) else {
                throw node.error(.badValue, "a replication's name has 1 to \(ReplicationDefinition.maximumNameLength) bytes")
            }
            replications[name] = try ReplicationDefinition(node, folder: folder, collections: known)
        }
        cutover = try members["cutover"].map { try CutoverConfiguration($0, folder: folder, replications: replications) }
    }

    private static func plan(_ members: [String: ConfigurationNode], folder: URL) throws -> RoutePlan {
        guard let file = members["routesFile"] else { return try RoutePlan(members) }
        for key in RoutePlan.keys where members[key] != nil {
            throw file.error(.badValue, "`\(key)` stands in the file that `routesFile` names; give it in one place")
        }
        let path = ServerConfiguration.path(try file.text(), in: folder)
        // The line is one of that file, so its name has to stand beside it.
        return try ConfigurationFile.naming(path) {
            try RoutePlan(try ConfigurationFile.node(try ConfigurationFile.text(of: path), environment: file.environment))
        }
    }

    /// CouchDB's rule, which Sync Gateway shares.
    static func isAllowed(_ name: String) -> Bool {
        guard let first = name.utf8.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first), name.utf8.count <= 240 else {
            return false
        }
        return name.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || "_$()+-".utf8.contains(byte)
        }
    }
}

extension DatabaseLimits {
    init(_ node: ConfigurationNode) throws {
        self.init()
        let members = try node.members(
            ["documentSize", "attachmentSize", "revisionDepth", "protectedDepth", "protectionDays", "recentBodies", "upstreamSequences"])
        if let node = members["documentSize"] { documentSize = try node.size(in: 1...(1 << 30)) }
        if let node = members["attachmentSize"] { attachmentSize = Int64(try node.size(in: 0...(1 << 40))) }
        if let node = members["revisionDepth"] { revisionDepth = try node.int(in: 20...10_000) }
        protectedDepth = max(protectedDepth, revisionDepth)
        if let node = members["protectedDepth"] { protectedDepth = try node.int(in: revisionDepth...100_000) }
        if let node = members["protectionDays"] { protectionDays = try node.int(in: 0...36_500) }
        if let node = members["upstreamSequences"] { upstreamSequences = try node.int(in: 10_000...1_000_000_000) }
        if let node = members["recentBodies"] { recentBodies = try node.int(in: 0...1000) }
    }
}
