import Gateway
import Yams

/// Collections and routes, as they stand in a database's configuration or in a file of their own.
struct RoutePlan {
    var collections: [CollectionConfiguration] = []
    var routes: [Route] = []

    static let keys = ["collections", "routes"]

    init() {}

    init(_ node: ConfigurationNode) throws {
        try self.init(node.members(Self.keys))
    }

    init(_ members: [String: ConfigurationNode]) throws {
        if let node = members["collections"] {
            collections = try node.anyMembers().map { try Self.collection($0, $1) }
        }
        if let node = members["routes"] {
            routes = try node.items().map { try Self.route($0) }
        }
    }

    /// Tries the routes out, so that `config check` finds what `serve` would.
    func check(_ node: ConfigurationNode) throws {
        do {
            _ = try RouteTable(routes, collections: Set(collections.map(\.name)).union([.default]))
        } catch let error as GatewayError {
            throw node.error(.badValue, error.message)
        }
    }

    private static func collection(_ name: String, _ node: ConfigurationNode) throws -> CollectionConfiguration {
        guard let name = CollectionName(name) else {
            throw node.error(.badValue, "`\(name)` is not a collection; write `scope.name` with letters, digits, `_`, `-` and `%`")
        }
        let members = try node.members(["sync", "legacy"])
        var collection = CollectionConfiguration(name: name, isHidden: false)
        collection.syncFunction = try members["sync"].map(Self.syncFunction)
        if let legacy = members["legacy"] {
            switch try legacy.text() {
            case "hidden": collection.isHidden = true
            case "visible": collection.isHidden = false
            case let other: throw legacy.error(.badValue, "expected `hidden` or `visible`, not `\(other)`")
            }
            if collection.isHidden == true, name == .default {
                throw legacy.error(.badValue, "the default collection is what legacy clients see; it cannot be hidden from them")
            }
        }
        return collection
    }

    /// `default` says the default function, which is the empty text.
    private static func syncFunction(_ node: ConfigurationNode) throws -> String {
        let text = try node.text()
        return text == "default" ? "" : text
    }

    private static func route(_ node: ConfigurationNode) throws -> Route {
        let members = try node.members(["to", "when", "stripPrefix"])
        guard let to = members["to"] else { throw node.error(.missingKey, "a route needs `to`, the collection") }
        guard let when = members["when"] else { throw node.error(.missingKey, "a route needs `when`, its condition") }
        guard let collection = CollectionName(try to.text()) else {
            throw to.error(.badValue, "`\(try to.text())` is not a collection; write `scope.name`")
        }
        let strips = try members["stripPrefix"]?.bool() ?? false
        return Route(to: collection, when: try condition(when), stripsPrefix: strips)
    }

    private static func condition(_ node: ConfigurationNode) throws -> RouteCondition {
        let kinds = ["property", "idPrefix", "idPattern", "channel", "javascript"]
        let members = try node.members(kinds + ["equals"])
        let given = kinds.filter { members[$0] != nil }
        guard given.count == 1, let kind = given.first, let value = members[kind] else {
            throw node.error(
                .badValue, "a condition has one of `property` (with `equals`), `idPrefix`, `idPattern`, `channel`, `javascript`")
        }
        if members["equals"] != nil, kind != "property" {
            throw node.error(.badValue, "`equals` goes with `property`")
        }
        let text = try value.text()
        guard !text.isEmpty else { throw value.error(.badValue, "`\(kind)` is empty") }
        switch kind {
        case "property":
            guard let equals = members["equals"] else {
                throw node.error(.missingKey, "`property` needs `equals`, the value to compare with")
            }
            return .property(name: text, equals: try scalar(equals))
        case "idPrefix": return .idPrefix(text)
        case "idPattern": return .idPattern(text)
        case "channel": return .channel(text)
        default: return .javaScript(text)
        }
    }

    /// A number or a truth value where YAML says so; a text where it is quoted or neither.
    private static func scalar(_ node: ConfigurationNode) throws -> ScalarValue {
        let text = try node.text()
        let isPlain = node.node.scalar?.style == .plain || node.node.scalar?.style == .any
        guard isPlain else { return .string(text) }
        switch text {
        case "true": return .bool(true)
        case "false": return .bool(false)
        default: return number(text).map(ScalarValue.number) ?? .string(text)
        }
    }

    /// A number in decimal digits. Swift would take `inf`, `nan` and `0x10` for numbers, which no document can hold.
    private static func number(_ text: String) -> Double? {
        text.utf8.allSatisfy("0123456789+-.eE".utf8.contains) ? Double(text) : nil
    }
}
