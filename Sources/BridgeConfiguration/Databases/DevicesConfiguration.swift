package import Cutover
import HTTP

/// Which devices are served here and which are passed on to the old server: `cutover.devices`.
package struct DevicesConfiguration: Hashable, Sendable {
    /// The rules until they are changed on the admin port.
    package var rules = DeviceRules()

    /// When a move is halted or taken back; `nil` if nothing is watched.
    package var guardRules: GuardRules?

    /// The share of the reads that are passed on which is answered here, too, and compared.
    package var comparedReads = Share.none

    package init() {}

    init(_ node: ConfigurationNode) throws {
        let members = try node.members(["percent", "users", "channels", "addresses", "except", "guard", "compare"])
        members["percent"]?.read { rules.share = try Self.share($0) }
        rules.users = Self.patterns(members["users"])
        rules.except = Self.patterns(members["except"])
        rules.channels = Set(members["channels"]?.read { try Self.texts($0) } ?? [])
        members["compare"]?.read { comparedReads = try Self.share($0) }
        members["guard"]?.read { guardRules = try Self.guardRules($0) }
        rules.addresses =
            members["addresses"]?.read { node in
                try Self.items(node).compactMap { item in
                    item.read { item in
                        let text = try item.text()
                        guard let range = AddressRange(text) else {
                            throw item.error(.badValue, "`\(text)` is no address or network, such as `10.1.2.3` or `10.0.0.0/8`")
                        }
                        return range
                    }
                }
            } ?? []
    }

    private static func guardRules(_ node: ConfigurationNode) throws -> GuardRules {
        let members = try node.members(["errorRate", "conflicts", "parked", "window", "action"])
        var rules = GuardRules()
        members["errorRate"]?.read { rules.errorRate = try share($0) }
        members["conflicts"]?.read { rules.conflicts = try $0.int(in: 1...1_000_000) }
        members["parked"]?.read { rules.parked = try $0.int(in: 1...1_000_000) }
        members["window"]?.read { node in
            rules.window = try node.seconds(upTo: GroupWindow.span)
            guard rules.window >= GroupWindow.slot else { throw node.error(.badValue, "expected a time of at least \(GroupWindow.slot)s") }
        }
        members["action"]?.read { rules.action = try $0.choice(GuardRules.Action.self) }
        if members["errorRate"] == nil, members["conflicts"] == nil, members["parked"] == nil {
            throw node.error(.missingKey, "`guard` needs a limit: `errorRate`, `conflicts` or `parked`")
        }
        return rules
    }

    private static func share(_ node: ConfigurationNode) throws -> Share {
        let text = try node.text()
        guard let share = Double(text.hasSuffix("%") ? String(text.dropLast()) : text).flatMap({ Share(percent: $0) }) else {
            throw node.error(.badValue, "expected a percentage from 0 to 100, not `\(text)`")
        }
        return share
    }

    private static func patterns(_ node: ConfigurationNode?) -> [NamePattern] {
        node?.read { node in
            try items(node).compactMap { item in
                item.read { item in
                    guard let pattern = NamePattern(try item.text()) else {
                        throw item.error(
                            .badValue, "a user's name, or a pattern such as `qa-*`, has 1 to \(NamePattern.maximumLength) bytes")
                    }
                    return pattern
                }
            }
        } ?? []
    }

    private static func texts(_ node: ConfigurationNode) throws -> [String] {
        try items(node).compactMap { item in item.read { try $0.nonEmptyText() } }
    }

    private static func items(_ node: ConfigurationNode) throws -> [ConfigurationNode] {
        let items = try node.items()
        guard items.count <= DeviceRules.maximumCount else {
            throw node.error(.badValue, "the list has \(items.count) items; at most \(DeviceRules.maximumCount) are possible")
        }
        return items
    }
}
