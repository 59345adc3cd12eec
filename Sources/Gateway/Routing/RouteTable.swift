import Documents
import Scripting
import Storage

/// The validated and compiled routes of a database. The first route that matches a document determines its collection.
package struct RouteTable: Sendable {
    /// A route with its compiled expressions.
    struct Rule: Sendable {
        let route: Route
        let pattern: IDPattern?
        let predicate: ScriptFunction<[UInt8], Bool>?

        /// - Parameter number: The route's number in its list, from 1.
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

    /// The prefixes of unified IDs by collection.
    private let prefixes: [CollectionName: String]

    /// Validates the routes against the existing collections.
    ///
    /// - Parameter owner: the database's name: functions of two databases share nothing.
    /// - Throws: ``GatewayError`` with code `configuration` if a route names a missing collection, an expression that does not compile, or a prefix
    ///   to strip without a prefix, or if two legacy documents could become one document of a collection.
    package init(_ routes: [Route], collections: Set<CollectionName>, owner: String = "") throws {
        if let fault = Self.faults(in: routes, collections: collections).first {
            throw GatewayError(.configuration, fault.description(in: routes))
        }
        rules = try routes.enumerated().map { index, route in try Rule(route, number: index + 1, owner: owner) }
        prefixes = Dictionary(routes.compactMap { route in route.strippedPrefix.map { (route.collection, $0) } }) { first, _ in first }
    }

    /// The JavaScript predicates in the order of the rules; `nil` for rules without one.
    var predicates: [ScriptFunction<[UInt8], Bool>?] { rules.map(\.predicate) }

    /// Whether any rule depends on a document's channels.
    var needsChannels: Bool {
        rules.contains { if case .channel = $0.route.condition { true } else { false } }
    }

    var needsScripts: Bool { rules.contains { $0.predicate != nil } }

    /// The legacy ID of a collection's document, derived from the routes.
    package func unifiedID(of id: String, in collection: CollectionName) -> String {
        (prefixes[collection] ?? "") + id
    }

    /// The target of the first route that matches a legacy ID and body; `nil` if none matches.
    ///
    /// - Parameter predicateResults: the predicates' results by the index of the rule.
    func match(_ id: String, body: [UInt8], predicateResults: [Int: Bool]) -> RouteMatch? {
        guard !rules.isEmpty else { return nil }
        let channels = needsChannels ? Channels.ofProperty(in: body) : []
        return match(RouteSubject(id: id, body: body, channels: channels, predicateResults: predicateResults))
    }

    /// The target of the first matching route; `nil` if none matches.
    func match(_ subject: RouteSubject) -> RouteMatch? {
        for (index, rule) in rules.enumerated() where rule.matches(subject, index: index) {
            guard let prefix = rule.route.strippedPrefix else {
                return RouteMatch(collection: rule.route.collection, id: subject.id)
            }
            // By bytes, not by characters: a combining mark after the prefix belongs to the rest.
            let rest = subject.id.utf8.dropFirst(prefix.utf8.count)
            // The rest has to be a valid ID; otherwise the rule does not apply to this document.
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
            subject.predicateResults[index] ?? false
        }
    }
}

/// The input of routes: a document's legacy ID and content, and the results of JavaScript predicates.
struct RouteSubject {
    let id: String
    let body: [UInt8]

    /// The document's channels by its collection's sync function.
    let channels: Set<String>

    /// The predicates' results by the index of the rule.
    let predicateResults: [Int: Bool]
}

/// The target of a route for a document.
package struct RouteMatch: Hashable, Sendable {
    package let collection: CollectionName

    /// The document's ID in the collection.
    package let id: String

    package init(collection: CollectionName, id: String) {
        self.collection = collection
        self.id = id
    }
}

/// The results of the routes' JavaScript predicates for documents before their write.
///
/// The predicates run before the transaction, in one call for all documents of a batch, so the writer never waits for a script.
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
                // A predicate that fails for a document does not match; the engine counts the failure.
                byWrite[index][rule] = (try? result.get()) ?? false
            }
        }
        return PredicateResults(byWrite: byWrite)
    }

    subscript(index: Int) -> [Int: Bool] {
        byWrite.isEmpty ? [:] : byWrite[index]
    }
}
