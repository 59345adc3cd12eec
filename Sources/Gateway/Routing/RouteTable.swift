import Foundation
import Scripting

/// The routes of a database, checked and ready: the first that matches a document says where it lives.
public struct RouteTable: Sendable {
    /// A route whose expressions have been compiled.
    struct Rule: Sendable {
        let route: Route
        let pattern: NSRegularExpression?
        let predicate: ScriptFunction<[UInt8], Bool>?
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
        rules = try routes.enumerated().map { index, route in
            try Self.rule(route, number: index + 1, collections: collections, owner: owner)
        }
        prefixes = try Self.prefixes(of: routes)
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

    private static func rule(_ route: Route, number: Int, collections: Set<CollectionName>, owner: String) throws -> Rule {
        func refuse(_ reason: String, cause: (any Error)? = nil) -> GatewayError {
            GatewayError(.configuration, "Route \(number) (to \(route.collection)): \(reason)", cause: cause)
        }
        guard collections.contains(route.collection) else {
            throw refuse("there is no such collection; name it under `collections`")
        }
        if route.stripsPrefix {
            guard let prefix = route.strippedPrefix, !prefix.isEmpty else {
                throw refuse("`stripPrefix` needs a condition `idPrefix` with a prefix that is not empty")
            }
        }
        switch route.condition {
        case .idPattern(let pattern):
            do {
                return Rule(route: route, pattern: try NSRegularExpression(pattern: pattern), predicate: nil)
            } catch {
                throw refuse("`idPattern` is not a regular expression: \(pattern)", cause: error)
            }
        case .javaScript(let source):
            return Rule(route: route, pattern: nil, predicate: .predicate(source, owner: "\(owner) route \(number) to \(route.collection)"))
        case .property, .idPrefix, .channel:
            return Rule(route: route, pattern: nil, predicate: nil)
        }
    }

    /// A collection into which a prefix is stripped may be reached by that one rule only: `order::17` and `17`, or
    /// `a::17` and `b::17`, would become one document.
    private static func prefixes(of routes: [Route]) throws -> [CollectionName: String] {
        var found: [CollectionName: String] = [:]
        var unstripped: Set<CollectionName> = []
        for route in routes {
            guard let prefix = route.strippedPrefix else {
                unstripped.insert(route.collection)
                continue
            }
            if route.collection == .default {
                throw GatewayError(
                    .configuration,
                    "A route strips \"\(prefix)\" into \(route.collection), where every document that no route wants keeps its ID: documents \"\(prefix)x\" and \"x\" would become one. Give it a collection of its own, or do not strip"
                )
            }
            if let other = found[route.collection], !other.utf8.elementsEqual(prefix.utf8) {
                throw GatewayError(
                    .configuration,
                    "Routes strip both \"\(other)\" and \"\(prefix)\" into \(route.collection): documents \"\(other)x\" and \"\(prefix)x\" would become one. Give one of them a collection of its own, or do not strip"
                )
            }
            found[route.collection] = prefix
        }
        if let collection = unstripped.intersection(found.keys).min(), let prefix = found[collection] {
            throw GatewayError(
                .configuration,
                "One route strips \"\(prefix)\" into \(collection) and another keeps IDs as they are: documents \"\(prefix)x\" and \"x\" would become one. Strip in neither, or use two collections"
            )
        }
        return found
    }
}
