import Documents
package import Storage

/// The rules of the last serving process, as recorded in the store. Commands that open the store write by the same rules.
struct ServedConfiguration: Equatable {
    var routes: [Route]
    var conflicts: ConflictPolicy
    var conflictResolver: String?
    var departures: DeparturePolicy
    var revisionDepth: Int

    /// The collections that the configuration names.
    var described: Set<CollectionName>

    private static let setting = "served"

    init(_ configuration: DatabaseConfiguration) {
        routes = configuration.routes
        conflicts = configuration.conflicts
        conflictResolver = configuration.conflictResolver
        departures = configuration.departures
        revisionDepth = configuration.limits.revisionDepth
        described = Set(configuration.collections.map(\.name))
    }

    /// Reads the stored rules; `nil` if the store was never served.
    ///
    /// - Throws: ``GatewayError`` with code `unavailable` if the record cannot be read.
    static func stored(in snapshot: any StoreSnapshot) throws -> ServedConfiguration? {
        guard let text = try snapshot.setting(setting) else { return nil }
        guard let json = try? JSONValue(Array(text.utf8)), let rules = ServedConfiguration(json) else {
            throw GatewayError(.unavailable, "The store's record of its last served configuration cannot be read; run `dualgauge check`")
        }
        return rules
    }

    /// Whether the store was served, or may have been served by a version that did not record these rules.
    static func isServed(_ snapshot: any StoreSnapshot) throws -> Bool {
        try snapshot.setting(setting) != nil || snapshot.setting("served.before") != nil
    }

    func persist(in transaction: any StoreTransaction) throws {
        guard try ServedConfiguration.stored(in: transaction) != self else { return }
        var bytes: [UInt8] = []
        json.append(to: &bytes)
        try transaction.set(String(decoding: bytes, as: UTF8.self), forSetting: Self.setting)
    }

    func apply(to configuration: inout DatabaseConfiguration) {
        configuration.routes = routes
        configuration.conflicts = conflicts
        configuration.conflictResolver = conflictResolver
        configuration.departures = departures
        configuration.limits.revisionDepth = revisionDepth
    }

    private init?(_ json: JSONValue) {
        guard let conflicts = json["conflicts"]?.string.flatMap(ConflictPolicy.init),
            let departures = json["departures"]?.string.flatMap(DeparturePolicy.init),
            let depth = json["revisionDepth"]?.int, (1...1_000_000).contains(depth), let routes = json["routes"]?.array
        else { return nil }
        (self.conflicts, self.departures, revisionDepth) = (conflicts, departures, depth)
        described = Set((json["described"]?.array ?? []).compactMap { $0.string.flatMap { CollectionName($0) } })
        conflictResolver = json["resolver"]?.string
        self.routes = routes.compactMap(Route.init)
        guard self.routes.count == routes.count else { return nil }
    }

    private var json: JSONValue {
        var members = [
            JSONMember("conflicts", .string(conflicts.rawValue)), JSONMember("departures", .string(departures.rawValue)),
            JSONMember("revisionDepth", .number(String(revisionDepth))), JSONMember("routes", .array(routes.map(\.json))),
            JSONMember("described", .array(described.sorted().map { .string($0.description) })),
        ]
        if let conflictResolver { members.append(JSONMember("resolver", .string(conflictResolver))) }
        return .object(members)
    }
}

extension DatabaseConfiguration {
    /// The configuration with which a command opens a store: the rules of the last serving process. The collections come from the store.
    package static func lastServed(_ name: String, from store: any Store) async throws -> DatabaseConfiguration {
        var configuration = DatabaseConfiguration(name: name)
        try await store.read { try ServedConfiguration.stored(in: $0) }?.apply(to: &configuration)
        return configuration
    }
}

extension Route {
    fileprivate init?(_ json: JSONValue) {
        guard let collection = json["to"]?.string.flatMap({ CollectionName($0) }), let kind = json["kind"]?.string,
            let value = json["value"]?.string
        else { return nil }
        let condition: RouteCondition
        switch kind {
        case "property":
            guard let equals = json["equals"].flatMap(ScalarValue.init) else { return nil }
            condition = .property(name: value, equals: equals)
        case "idPrefix": condition = .idPrefix(value)
        case "idPattern": condition = .idPattern(value)
        case "channel": condition = .channel(value)
        case "javascript": condition = .javaScript(value)
        default: return nil
        }
        self.init(to: collection, when: condition, stripsPrefix: json["strip"]?.bool ?? false)
    }

    fileprivate var json: JSONValue {
        let (kind, value, equals): (String, String, ScalarValue?) =
            switch condition {
            case .property(let name, let equals): ("property", name, equals)
            case .idPrefix(let prefix): ("idPrefix", prefix, nil)
            case .idPattern(let pattern): ("idPattern", pattern, nil)
            case .channel(let channel): ("channel", channel, nil)
            case .javaScript(let source): ("javascript", source, nil)
            }
        var members = [
            JSONMember("to", .string(collection.description)), JSONMember("kind", .string(kind)), JSONMember("value", .string(value)),
            JSONMember("strip", .bool(stripsPrefix)),
        ]
        if let equals { members.append(JSONMember("equals", equals.json)) }
        return .object(members)
    }
}

extension ScalarValue {
    fileprivate init?(_ json: JSONValue) {
        switch json {
        case .string(let text): self = .string(text)
        case .bool(let flag): self = .bool(flag)
        case .number:
            guard let number = json.double else { return nil }
            self = .number(number)
        default: return nil
        }
    }

    fileprivate var json: JSONValue {
        switch self {
        case .string(let text): .string(text)
        case .number(let number): .number("\(number)")
        case .bool(let flag): .bool(flag)
        }
    }
}
