import Gateway
import Yams

/// The collections and routes of a database, from its configuration or from a route file.
struct RoutePlan {
    var collections: [CollectionConfiguration] = []
    var routes: [Route] = []

    /// The nodes of the routes in their order, the position of `collections`, and the nodes of the sync functions, for error messages.
    private var routeNodes: [ConfigurationNode] = []
    private(set) var collectionsPlace: ConfigurationPlace?
    private(set) var functionNodes: [CollectionName: ConfigurationNode] = [:]

    /// The nodes of the collections, for error messages.
    private var collectionNodes: [CollectionName: ConfigurationNode] = [:]

    static let keys = ["collections", "routes"]

    init() {}

    init(_ node: ConfigurationNode) throws {
        self.init(try node.members(Self.keys))
    }

    init(_ members: [String: ConfigurationNode]) {
        collectionsPlace = members["collections"]?.place
        members["collections"]?.read { node in
            for (name, node) in try node.anyMembers() {
                guard let collection = node.read({ try Self.collection(name, $0) }) else { continue }
                collections.append(collection)
                collectionNodes[collection.name] = node
                functionNodes[collection.name] = node["sync"]
            }
        }
        members["routes"]?.read { node in
            for item in try node.items() {
                guard let route = item.read({ try Self.route($0) }) else { continue }
                routes.append(route)
                routeNodes.append(item)
            }
        }
    }

    /// Adds the collections of the configuration to those of a route file. Only one of the two may define settings for a collection.
    mutating func add(_ other: RoutePlan) {
        for collection in other.collections {
            guard let index = collections.firstIndex(where: { $0.name == collection.name }) else {
                collections.append(collection)
                functionNodes[collection.name] = other.functionNodes[collection.name]
                continue
            }
            let nothing = CollectionConfiguration(name: collection.name, isHidden: false)
            if collection == nothing { continue }
            guard collections[index] == nothing else {
                other.collectionNodes[collection.name]?.refuse(
                    .badValue, "\(collection.name) is described here and in the file that `routesFile` names; describe it in one place")
                continue
            }
            collections[index] = collection
            functionNodes[collection.name] = other.functionNodes[collection.name]
        }
        collectionsPlace = other.collectionsPlace ?? collectionsPlace
    }

    /// The names of the collections, including the default collection.
    var names: Set<CollectionName> { Set(collections.map(\.name)).union([.default]) }

    /// Reports unusable routes as errors, and routes that never match or that lead to hidden collections as warnings.
    func check() {
        let faults = RouteTable.faults(in: routes, collections: names)
        for fault in faults { routeNodes[fault.index].refuse(.badValue, fault.reason) }
        let hidden = Set(collections.filter { $0.isHidden == true }.map(\.name))
        for (route, node) in zip(routes, routeNodes) where hidden.contains(route.collection) {
            node.warn(
                .hiddenRoute,
                "\(route.collection) is hidden from legacy clients: they can write the documents that go there, and can read none of them")
        }
        for dead in RouteTable.deadRoutes(in: routes) where !faults.contains(where: { $0.index == dead.index }) {
            switch dead.reason {
            case .impossible(let reason): routeNodes[dead.index].warn(.deadRoute, "the route can never match: \(reason)")
            case .shadowed(let earlier):
                let line = routeNodes[earlier].place.line.map { " in line \($0)" } ?? ""
                routeNodes[dead.index].warn(
                    .deadRoute,
                    "the route can never match: route \(earlier + 1)\(line) comes first and takes the same documents. Put the narrower condition first, or remove one"
                )
            }
        }
    }

    private static func collection(_ name: String, _ node: ConfigurationNode) throws -> CollectionConfiguration {
        guard let name = CollectionName(name) else {
            throw node.error(.badValue, "`\(name)` is not a collection; write `scope.name` with letters, digits, `_`, `-` and `%`")
        }
        var collection = CollectionConfiguration(name: name, isHidden: false)
        node.read { node in
            let members = try node.members(["sync", "legacy"])
            collection.syncFunction = members["sync"]?.read { try syncFunction($0) }
            collection.isHidden = members["legacy"]?.read { try isHidden($0, name) } ?? false
        }
        return collection
    }

    /// Reads a sync function. `default` stands for the default function, which is stored as the empty text.
    private static func syncFunction(_ node: ConfigurationNode) throws -> String {
        try node.text() == "default" ? "" : try node.script(.sync)
    }

    private static func isHidden(_ node: ConfigurationNode, _ name: CollectionName) throws -> Bool {
        switch try node.text() {
        case "hidden":
            guard name != .default else {
                throw node.error(.badValue, "legacy clients use the default collection; it cannot be hidden from them")
            }
            return true
        case "visible": return false
        case let other: throw node.error(.badValue, "expected `hidden` or `visible`, not `\(other)`")
        }
    }

    private static func route(_ node: ConfigurationNode) throws -> Route {
        let members = try node.members(["to", "when", "stripPrefix"])
        let strips = members["stripPrefix"]?.read { try $0.bool() } ?? false
        let condition = members["when"]?.read { try Self.condition($0) }
        let collection = members["to"]?.read { node -> CollectionName in
            let text = try node.text()
            guard let collection = CollectionName(text) else {
                throw node.error(.badValue, "`\(text)` is not a collection; write `scope.name`")
            }
            return collection
        }
        if members["to"] == nil { node.refuse(.missingKey, "a route needs `to`, the collection") }
        if members["when"] == nil { node.refuse(.missingKey, "a route needs `when`, its condition") }
        guard let collection, let condition else { throw ConfigurationNode.AlreadyReported() }
        return Route(to: collection, when: condition, stripsPrefix: strips)
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
        default: return .javaScript(try value.script(.predicate))
        }
    }

    /// A number or a Boolean if the YAML scalar is unquoted and looks like one; a text otherwise.
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

    /// A decimal number. Swift also parses `inf`, `nan` and `0x10`, which no JSON document can hold.
    private static func number(_ text: String) -> Double? {
        text.utf8.allSatisfy("0123456789+-.eE".utf8.contains) ? Double(text) : nil
    }
}
