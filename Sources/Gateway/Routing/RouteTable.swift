import Documents
import Scripting
import Storage

/// The routes of a database, checked and ready: the first that matches a document says where it lives.
public struct RouteTable: Sendable {
    /// A route whose expressions have been compiled.
    struct Rule: Sendable {
        let route: Route
        let pattern: IDPattern?
        let predicate: ScriptFunction<[UInt8], Bool>?

        /// - Parameter number: The route's place in its list, from 1.
        init(_ route: Route, number: Int, owner: String) throws {
            self.route = route
            if case .idPattern(let text) = route.condition { pattern = try IDPattern(text) } else { pattern = nil }
            if case .javaScript(let source) = route.condition {
                predicate = .predicate(source, owner: "\(owner) route \(number) to \(route.collection)")
            } else {
                predicate = nil
            }
        }
    }

    let rules: [Rule]

    /// The prefix that the IDs of documents in a collection get in the unified keyspace.
    private let prefixes: [CollectionName: String]

    /// Checks the routes against the collections that there are.
    ///
    /// - Parameter owner: the database's name: functions of two databases share nothing.
    /// - Throws: ``GatewayError`` with code `configuration` if a route names a collection that is not there, an
    ///   expression that does not compile, a prefix to strip without a prefix, or if two legacy documents could become
    ///   one document of a collection.
    public init(_ routes: [Route], collections: Set<CollectionName>, owner: String = "") throws {
        if let fault = Self.faults(in: routes, collections: collections).first {
            throw GatewayError(.configuration, fault.description(in: routes))
        }
        rules = try routes.enumerated().map { index, route in try Rule(route, number: index + 1, owner: owner) }
        prefixes = Dictionary(routes.compactMap { route in route.strippedPrefix.map { (route.collection, $0) } }) { first, _ in first }
    }

    /// The predicates that need JavaScript, in the order of the rules; `nil` elsewhere.
    var predicates: [ScriptFunction<[UInt8], Bool>?] { rules.map(\.predicate) }

    /// Whether any rule asks for a document's channels.
    var needsChannels: Bool {
        rules.contains { if case .channel = $0.route.condition { true } else { false } }
    }

    var needsScripts: Bool { rules.contains { $0.predicate != nil } }

    /// The legacy ID that a document of a collection has by the routes.
    public func unifiedID(of id: String, in collection: CollectionName) -> String {
        (prefixes[collection] ?? "") + id
    }

    /// Where a document belongs that has this legacy ID and body; `nil` if no route wants it.
    ///
    /// - Parameter verdicts: for each rule with a predicate, by its index, what the predicate said.
    func match(_ id: String, body: [UInt8], verdicts: [Int: Bool]) -> RouteMatch? {
        guard !rules.isEmpty else { return nil }
        let channels = needsChannels ? Channels.ofProperty(in: body) : []
        return match(RouteSubject(id: id, body: body, channels: channels, verdicts: verdicts))
    }

    /// Where a document belongs; `nil` if no route wants it.
    func match(_ subject: RouteSubject) -> RouteMatch? {
        for (index, rule) in rules.enumerated() where rule.matches(subject, index: index) {
            guard let prefix = rule.route.strippedPrefix else {
                return RouteMatch(collection: rule.route.collection, id: subject.id)
            }
            // By bytes, not by characters: a combining mark behind the prefix belongs to the rest.
            let rest = subject.id.utf8.dropFirst(prefix.utf8.count)
            // What is left has to be an ID of its own; otherwise the rule cannot have meant this document.
            guard let first = rest.first, first != UInt8(ascii: "_") else { continue }
            let id = String(decoding: rest, as: UTF8.self)
            return RouteMatch(collection: rule.route.collection, id: id)
        }
        return nil
    }
}

extension RouteTable.Rule {
    func matches(_ subject: RouteSubject, index: Int) -> Bool {
        // Design documents belong to the database.
        guard !DocumentID.isDesign(subject.id) else { return false }
        return switch route.condition {
        case .property(let name, let value):
            value.equals(DocumentBody.property(named: name, in: subject.body))
        case .idPrefix(let prefix):
            subject.id.utf8.starts(with: prefix.utf8)
        case .idPattern:
            pattern?.isFound(in: subject.id) ?? false
        case .channel(let channel):
            subject.channels.contains(channel)
        case .javaScript:
            subject.verdicts[index] ?? false
        }
    }
}

/// What routes look at: a document's legacy ID and content, and what JavaScript predicates said of it.
struct RouteSubject {
    let id: String
    let body: [UInt8]

    /// The document's channels by its collection's sync function.
    let channels: Set<String>

    /// For each rule with a predicate, by its index, what the predicate said.
    let verdicts: [Int: Bool]
}

/// Where a route puts a document.
public struct RouteMatch: Hashable, Sendable {
    public let collection: CollectionName

    /// The document's ID there.
    public let id: String

    public init(collection: CollectionName, id: String) {
        self.collection = collection
        self.id = id
    }
}

/// What the routes' JavaScript predicates say of documents that are about to be written.
///
/// They run before the transaction, all documents of a batch in one go: the writer never waits for a script.
struct PredicateResults: Sendable {
    private let byWrite: [[Int: Bool]]

    static func evaluate(_ writes: [RevisionWrite], in keyspace: Keyspace) async throws -> PredicateResults {
        let routes = keyspace.database.routes
        guard keyspace.scope == .unified || keyspace.scope == .collection(.default), routes.needsScripts else {
            return PredicateResults(byWrite: [])
        }
        var byWrite = [[Int: Bool]](repeating: [:], count: writes.count)
        for (rule, predicate) in routes.predicates.enumerated() {
            guard let predicate else { continue }
            let subjects = writes.indices.filter { !writes[$0].isDeleted }
            let results = try await keyspace.database.scripts.call(predicate, each: subjects.map { writes[$0].body })
            for (index, result) in zip(subjects, results) {
                // A predicate that fails for a document does not want it; the engine has counted the failure.
                byWrite[index][rule] = (try? result.get()) ?? false
            }
        }
        return PredicateResults(byWrite: byWrite)
    }

    subscript(index: Int) -> [Int: Bool] {
        byWrite.isEmpty ? [:] : byWrite[index]
    }
}
