package import Cutover
import Foundation

/// The cutover of a database from its old server: `cutover` of the configuration.
package struct CutoverConfiguration: Hashable, Sendable {
    /// The name of the replication with the old server. The stage determines its direction.
    package var legacy: String

    /// The name of the replication with the new server, if any; the gates also require that it is caught up.
    package var modern: String?

    /// The initial stage of a database without a recorded stage.
    package var firstStage = CutoverStage.shadow
    package var limits = GateLimits()
    package var hooks = HookConfiguration()

    /// Which devices are passed on to the old server; `nil` if every client that connects is served here.
    package var devices: DevicesConfiguration?

    package init(legacy: String) {
        self.legacy = legacy
    }
}

/// Programs that run before and after each step of a cutover.
package struct HookConfiguration: Hashable, Sendable {
    /// Run in sequence before the step changes anything; the first failure stops the step.
    package var before: [String] = []

    /// Run after the step. A failure is reported and changes nothing.
    package var after: [String] = []

    /// The timeout of each program, in seconds.
    package var timeout: Int64 = 60

    package init() {}
}

extension CutoverConfiguration {
    /// Reads a database's `cutover`.
    ///
    /// - Parameters:
    ///   - replications: The database's replications by name; the value is `nil` for a definition with errors.
    ///   - hasUpstream: Whether `authenticators.upstream` names the old server's public port.
    init(_ node: ConfigurationNode, folder: URL, replications: [String: ReplicationDefinition?], hasUpstream: Bool) throws {
        let members = try node.members(["legacy", "modern", "stage", "gates", "hooks", "devices"])
        let legacyNode = members["legacy"]
        let named = legacyNode?.read { try Self.replication($0, replications) }
        if legacyNode == nil {
            node.refuse(.missingKey, "`cutover` needs `legacy`, the name of the replication with the old server")
        }
        self.init(legacy: named?.name ?? "")
        members["modern"]?.read { node in
            modern = try Self.replication(node, replications).name
            guard modern != legacy else { throw node.error(.badValue, "`modern` is another replication than `legacy`") }
        }
        members["stage"]?.read { firstStage = try $0.choice(CutoverStage.self) }
        members["gates"]?.read { limits = try GateLimits($0) }
        members["hooks"]?.read { hooks = try HookConfiguration($0, folder: folder) }
        members["devices"]?.read { node in
            devices = try DevicesConfiguration(node)
            guard hasUpstream else {
                throw node.error(
                    .missingKey,
                    """
                    devices that are passed on need `authenticators.upstream`, the database on the old server's public port; the address of \
                    `\(legacy)` may be an admin port, where no login is required
                    """)
            }
        }
        guard let legacyNode, let definition = named?.definition else { throw ConfigurationNode.AlreadyReported() }
        guard definition.collections.isEmpty else {
            throw legacyNode.error(.badValue, "the old server has no collections; `\(legacy)` has to replicate the whole database")
        }
        if limits.requiresParity, !definition.target.isLegacy {
            throw legacyNode.error(
                .badValue,
                """
                `\(legacy)` is a replication with a 2.x+ server, which cannot be read without replicating it, so both sides cannot be compared at \
                each step;                 set `gates: { parity: skip }`, and compare with `dualgauge verify`
                """)
        }
    }

    private static func replication(
        _ node: ConfigurationNode, _ known: [String: ReplicationDefinition?]
    ) throws -> (name: String, definition: ReplicationDefinition) {
        let name = try node.text()
        guard let read = known[name] else {
            let nearest = known.keys.min { EditDistance.between(name, $0) < EditDistance.between(name, $1) }
            throw node.error(
                .badValue,
                "the database has no replication `\(name)`\(nearest.map { "; the nearest is `\($0)`" } ?? "; name it under `replications`")"
            )
        }
        guard let definition = read else { throw ConfigurationNode.AlreadyReported() }
        guard definition.continuous else {
            throw node.error(.badValue, "`\(name)` has to continue after it has caught up: give it `continuous: true`")
        }
        return (name, definition)
    }
}

extension GateLimits {
    fileprivate init(_ node: ConfigurationNode) throws {
        self.init()
        let members = try node.members(["maxLag", "maxParked", "parity", "bodies", "oldClientsQuietFor"])
        members["maxLag"]?.read { maxLag = try $0.seconds(upTo: 86_400) }
        members["maxParked"]?.read { maxParked = try $0.int(in: 0...1_000_000) }
        members["parity"]?.read { requiresParity = try $0.choice(ParityRule.self) == .required }
        members["bodies"]?.read { node in
            bodies = try (try? node.text()) == "all" ? nil : node.int(in: 0...1_000_000_000)
        }
        members["oldClientsQuietFor"]?.read { oldClientsQuietFor = try $0.seconds(upTo: 400 * 86_400) }
    }

    private enum ParityRule: String, CaseIterable {
        case required, skip
    }
}

extension HookConfiguration {
    fileprivate init(_ node: ConfigurationNode, folder: URL) throws {
        self.init()
        let members = try node.members(["before", "after", "timeout"])
        before = Self.programs(members["before"], folder)
        after = Self.programs(members["after"], folder)
        members["timeout"]?.read { timeout = max(1, try $0.seconds(upTo: 3_600)) }
    }

    private static func programs(_ node: ConfigurationNode?, _ folder: URL) -> [String] {
        let items = node?.read { try $0.items() } ?? []
        return items.compactMap { item in item.read { ServerConfiguration.path(try $0.nonEmptyText(), in: folder) } }
    }
}
