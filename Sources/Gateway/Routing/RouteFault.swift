/// What is wrong with one route of a list, so that the list cannot be used.
public struct RouteFault: Hashable, Sendable {
    /// The route's place in the list, from 0.
    public let index: Int

    /// What is wrong with it, and what to do.
    public let reason: String

    /// The reason with the route's number and collection, for lists that have no lines to point at.
    func description(in routes: [Route]) -> String {
        "Route \(index + 1) (to \(routes[index].collection)): \(reason)"
    }
}

extension RouteTable {
    /// All that is wrong with the routes, in their order; empty if a table can be made of them.
    ///
    /// - Parameter collections: those that there are.
    public static func faults(in routes: [Route], collections: Set<CollectionName>) -> [RouteFault] {
        var stripped: [CollectionName: String] = [:]
        var unstripped: Set<CollectionName> = []
        return routes.enumerated().compactMap { index, route in
            let reason =
                fault(of: route, collections: collections) ?? clash(of: route, stripped: stripped[route.collection], unstripped: unstripped)
            if let prefix = route.strippedPrefix {
                stripped[route.collection] = stripped[route.collection] ?? prefix
            } else {
                unstripped.insert(route.collection)
            }
            return reason.map { RouteFault(index: index, reason: $0) }
        }
    }

    private static func fault(of route: Route, collections: Set<CollectionName>) -> String? {
        guard collections.contains(route.collection) else {
            return "there is no collection `\(route.collection)`; name it under `collections`"
        }
        if route.stripsPrefix, route.strippedPrefix?.isEmpty ?? true {
            return "`stripPrefix` needs a condition `idPrefix` with a prefix that is not empty"
        }
        if case .idPattern(let pattern) = route.condition, (try? IDPattern(pattern)) == nil {
            return "`idPattern` is not a regular expression: \(pattern)"
        }
        return nil
    }

    /// A collection into which a prefix is stripped may be reached by that one prefix only: `order::17` and `17`, or
    /// `a::17` and `b::17`, would become one document.
    private static func clash(of route: Route, stripped: String?, unstripped: Set<CollectionName>) -> String? {
        let collection = route.collection
        guard let prefix = route.strippedPrefix else {
            return stripped.map {
                "an earlier route strips \"\($0)\" into \(collection) and this one keeps IDs as they are: documents \"\($0)x\" and \"x\" would become one. Strip in neither, or use two collections"
            }
        }
        if collection == .default {
            return
                "it strips \"\(prefix)\" into \(collection), where every document that no route wants keeps its ID: documents \"\(prefix)x\" and \"x\" would become one. Give it a collection of its own, or do not strip"
        }
        if unstripped.contains(collection) {
            return
                "it strips \"\(prefix)\" into \(collection) and an earlier route keeps IDs as they are: documents \"\(prefix)x\" and \"x\" would become one. Strip in neither, or use two collections"
        }
        guard let stripped, !stripped.utf8.elementsEqual(prefix.utf8) else { return nil }
        return
            "routes strip both \"\(stripped)\" and \"\(prefix)\" into \(collection): documents \"\(stripped)x\" and \"\(prefix)x\" would become one. Give one of them a collection of its own, or do not strip"
    }
}
