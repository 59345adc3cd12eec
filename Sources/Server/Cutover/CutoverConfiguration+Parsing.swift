import Cutover
import Foundation

extension CutoverConfiguration {
    /// Reads a database's `cutover`.
    ///
    /// - Parameter replications: The database's, of which it names one or two.
    init(_ node: ConfigurationNode, folder: URL, replications: [String: ReplicationDefinition]) throws {
        let members = try node.members(["legacy", "modern", "stage", "gates", "hooks"])
        guard let legacyNode = members["legacy"] else {
            throw node.error(.missingKey, "`cutover` needs `legacy`, the name of the replication with the old server")
        }
        let (name, definition) = try Self.replication(legacyNode, replications)
        self.init(legacy: name)
        guard definition.collections.isEmpty else {
            throw legacyNode.error(.badValue, "the old server has no collections; `\(name)` has to replicate the whole database")
        }
        if let node = members["modern"] {
            modern = try Self.replication(node, replications).name
            guard modern != legacy else { throw node.error(.badValue, "`modern` is another replication than `legacy`") }
        }
        if let node = members["stage"] { firstStage = try node.choice(CutoverStage.self) }
        if let node = members["gates"] { limits = try GateLimits(node) }
        if let node = members["hooks"] { hooks = try HookConfiguration(node, folder: folder) }
        if limits.requiresParity, !definition.target.isLegacy {
            throw legacyNode.error(
                .badValue,
                """
                `\(name)` is with a 2.x+ server, which cannot be read without replicating it, so both sides cannot be compared at each step; \
                say `gates: { parity: skip }`, and compare with `dualgauge verify`
                """)
        }
    }

    private static func replication(
        _ node: ConfigurationNode, _ known: [String: ReplicationDefinition]
    ) throws -> (name: String, definition: ReplicationDefinition) {
        let name = try node.text()
        guard let definition = known[name] else {
            let nearest = known.keys.min { EditDistance.between(name, $0) < EditDistance.between(name, $1) }
            throw node.error(
                .badValue,
                "the database has no replication `\(name)`\(nearest.map { "; the nearest is `\($0)`" } ?? "; name it under `replications`")"
            )
        }
        guard definition.continuous else {
            throw node.error(.badValue, "`\(name)` has to go on when it has caught up: give it `continuous: true`")
        }
        return (name, definition)
    }
}

extension GateLimits {
    fileprivate init(_ node: ConfigurationNode) throws {
        self.init()
        let members = try node.members(["maxLag", "maxParked", "parity", "oldClientsQuietFor"])
        if let node = members["maxLag"] { maxLag = try node.seconds(upTo: 86_400) }
        if let node = members["maxParked"] { maxParked = try node.int(in: 0...1_000_000) }
        if let node = members["parity"] { requiresParity = try node.choice(ParityRule.self) == .required }
        if let node = members["oldClientsQuietFor"] { oldClientsQuietFor = try node.seconds(upTo: 400 * 86_400) }
    }

    private enum ParityRule: String, CaseIterable {
        case required, skip
    }
}

extension HookConfiguration {
    fileprivate init(_ node: ConfigurationNode, folder: URL) throws {
        self.init()
        let members = try node.members(["before", "after", "timeout"])
        before = try Self.programs(members["before"], folder)
        after = try Self.programs(members["after"], folder)
        if let node = members["timeout"] { timeout = max(1, try node.seconds(upTo: 3_600)) }
    }

    private static func programs(_ node: ConfigurationNode?, _ folder: URL) throws -> [String] {
        try node?.items().map { ServerConfiguration.path(try $0.nonEmptyText(), in: folder) } ?? []
    }
}
