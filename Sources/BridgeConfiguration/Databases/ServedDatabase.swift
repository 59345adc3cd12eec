package import Authentication
import Foundation
package import Gateway
import Storage
package import Stores
import Yams

extension ServerConfiguration {
    /// One database of the configuration file.
    package struct ServedDatabase: Hashable, Sendable {
        package var configuration: DatabaseConfiguration
        /// The place of the store.
        package var store: StoreLocation
        /// The services that authenticate the database's users besides passwords.
        package var authenticators = AuthenticatorsConfiguration()

        package var access = AccessConfiguration()

        /// The initial users and roles.
        package var accounts: [ConfiguredAccount] = []

        /// Whether an administrator may empty the database by `_flush`.
        package var allowsFlush = false

        /// The replications that run beside the listeners, by name.
        package var replications: [String: ReplicationDefinition] = [:]

        /// The cutover from the old server; `nil` without one.
        package var cutover: CutoverConfiguration?

        package init(configuration: DatabaseConfiguration, store: StoreLocation) {
            self.configuration = configuration
            self.store = store
        }

        /// - Parameter store: the path of the store's folder.
        package init(configuration: DatabaseConfiguration, store: String) {
            self.init(configuration: configuration, store: .folder(store))
        }
    }
}

extension ServerConfiguration.ServedDatabase {
    private static let keys =
        [
            "store", "guest", "sessions", "wwwAuthenticate", "authenticators", "defaultCollection", "conflicts", "departures", "limits",
            "routesFile", "allowFlush", "replications", "deltaSync", "users", "roles", "cors", "passwords",
            "cutover", "filters",
        ] + RoutePlan.keys

    /// Replacements for keys that Sync Gateway users may expect in a database.
    private static let hints = [
        "sync": "a sync function belongs to a collection: write it as `collections.\"_default._default\".sync`",
        "scopes": "collections are named in full here: write `collections.\"scope.name\"`",
        "allow_conflicts": "write `conflicts: refuse` for `allow_conflicts: false`",
        "revs_limit": "write `limits.revisionDepth`",
    ]

    init(name: String, _ node: ConfigurationNode, folder: URL) throws {
        if !Self.isAllowed(name) {
            node.refuse(
                .badValue,
                "`\(name)` is not a database name; begin with a lower-case letter and use lower-case letters, digits, `_`, `-`, `$`, `(`, `)`, `+`"
            )
        }
        let members = try node.members(Self.keys, hints: Self.hints)
        if members["store"] == nil {
            node.refuse(
                .missingKey,
                "the database needs `store`, the folder of its store, such as `./\(name).dualgauge`, or `postgres://USER@HOST/DATABASE`")
        }
        store = members["store"]?.read { try $0.store(of: name, in: folder) } ?? .folder("")
        configuration = DatabaseConfiguration(name: name)
        readAccess(members)
        readBehaviour(members, folder: folder)
        members["authenticators"]?.read { authenticators = try AuthenticatorsConfiguration($0, folder: folder) }
        let plan = node.read { _ in try Self.plan(members, folder: folder) }
        plan?.check()
        configuration.collections = plan?.collections ?? []
        configuration.routes = plan?.routes ?? []
        node.findings.databases[name] = DatabasePlaces(database: node.place, collections: plan?.collectionsPlace ?? node.place)
        accounts = members["roles"]?.read { try ConfiguredAccount.all($0, .role, collections: plan?.names) } ?? []
        accounts += members["users"]?.read { try ConfiguredAccount.all($0, .user, collections: plan?.names) } ?? []
        readReplications(members, folder: folder, collections: plan?.names)
        if let plan { AccountRules(database: self, members: members, plan: plan).check() }
    }

    private mutating func readAccess(_ members: [String: ConfigurationNode]) {
        members["guest"]?.read { node in
            let guest = try node.members(["enabled", "channels"])
            configuration.guest = GuestConfiguration(
                isEnabled: guest["enabled"]?.read { try $0.bool() } ?? false, channels: guest["channels"]?.read { try $0.texts() } ?? [])
        }
        members["sessions"]?.read { try access.readSessions($0) }
        members["passwords"]?.read { node in
            let passwords = try node.members(["cost", "allowEmpty"])
            passwords["cost"]?.read { access.passwordCost = .configured(try $0.int(in: ScryptCost.configurable)) }
            passwords["allowEmpty"]?.read { access.allowsEmptyPasswords = try $0.bool() }
        }
        members["wwwAuthenticate"]?.read { access.sendsChallenge = try $0.bool() }
        members["cors"]?.read { access.cors = try CrossOriginPolicy($0) }
        members["allowFlush"]?.read { allowsFlush = try $0.bool() }
    }

    private mutating func readBehaviour(_ members: [String: ConfigurationNode], folder: URL) {
        members["defaultCollection"]?.read { configuration.defaultCollection = try $0.choice(DefaultCollectionPolicy.self) }
        members["conflicts"]?.read { node in
            guard node.node.mapping != nil else {
                configuration.conflicts = try node.choice(ConflictPolicy.self)
                return
            }
            guard let function = try node.members(["javascript"])["javascript"] else {
                throw node.error(.missingKey, "expected `keep`, `resolve`, `refuse`, or `javascript` with the function that resolves")
            }
            configuration.conflicts = .resolve
            configuration.conflictResolver = try function.script(.resolver)
        }
        members["departures"]?.read { configuration.departures = try $0.choice(DeparturePolicy.self) }
        members["deltaSync"]?.read { configuration.deltaSync = try $0.bool() }
        members["limits"]?.read { configuration.limits = try DatabaseLimits($0) }
        for (name, node) in members["filters"]?.read({ try $0.anyMembers() }) ?? [] {
            if name.isEmpty || name.hasPrefix("_") || name == "sync_gateway/bychannel" {
                node.refuse(.badValue, "`\(name)` cannot be the name of a filter: it is empty, begins with `_`, or is Sync Gateway's")
            }
            node.read {
                configuration.filters[name] =
                    try $0.nonEmptyText().hasSuffix(".js") ? $0.scriptFile(.filter, in: folder) : $0.script(.filter)
            }
        }
    }

    private mutating func readReplications(_ members: [String: ConfigurationNode], folder: URL, collections: Set<CollectionName>?) {
        var read: [String: ReplicationDefinition?] = [:]
        for (name, node) in members["replications"]?.read({ try $0.anyMembers() }) ?? [] {
            if !(1...ReplicationDefinition.maximumNameLength).contains(name.utf8.count) {
                node.refuse(.badValue, "a replication's name has 1 to \(ReplicationDefinition.maximumNameLength) bytes")
            }
            read[name] = .some(node.read { try ReplicationDefinition($0, folder: folder, collections: collections) })
        }
        replications = read.compactMapValues(\.self)
        let (all, hasUpstream) = (read, authenticators.upstream != nil)
        cutover = members["cutover"]?.read {
            try CutoverConfiguration($0, folder: folder, replications: all, hasUpstream: hasUpstream)
        }
    }

    private static func plan(_ members: [String: ConfigurationNode], folder: URL) throws -> RoutePlan {
        guard let node = members["routesFile"] else { return RoutePlan(members) }
        if members["routes"] != nil {
            node.refuse(.badValue, "the routes are in the file that `routesFile` names; give them in one place")
        }
        let path = ServerConfiguration.path(try node.nonEmptyText(), in: folder)
        let text: String
        do {
            text = try ConfigurationDocument.text(of: path)
        } catch let error as ConfigurationError where error.code == .unreadable {
            throw node.error(.unreadable, "\(path) cannot be read; check the path and its permissions")
        }
        let source = ConfigurationSource(text, file: path, environment: node.source.environment)
        var plan = try RoutePlan(try ConfigurationDocument.root(source, text: text, findings: node.findings))
        plan.add(RoutePlan(members.filter { $0.key == "collections" }))
        return plan
    }

    /// CouchDB's rule for database names, which Sync Gateway shares.
    package static func isAllowed(_ name: String) -> Bool {
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
        members["documentSize"]?.read { documentSize = try $0.size(in: 1...(1 << 30)) }
        members["attachmentSize"]?.read { attachmentSize = Int64(try $0.size(in: 0...(1 << 40))) }
        members["revisionDepth"]?.read { revisionDepth = try $0.int(in: 20...10_000) }
        protectedDepth = max(protectedDepth, revisionDepth)
        members["protectedDepth"]?.read { protectedDepth = try $0.int(in: revisionDepth...100_000) }
        members["protectionDays"]?.read { protectionDays = try $0.int(in: 0...36_500) }
        members["upstreamSequences"]?.read { upstreamSequences = try $0.int(in: 10_000...1_000_000_000) }
        members["recentBodies"]?.read { recentBodies = try $0.int(in: 0...1000) }
    }
}
