/// An error in one route of a list, which makes the list invalid.
package struct RouteFault: Hashable, Sendable {
    /// The route's index in the list, from 0.
    package let index: Int

    /// The error, and how to fix it.
    package let reason: String

    /// The reason with the route's number and collection, for lists without line numbers.
    func description(in routes: [Route]) -> String {
        "Route \(index + 1) (to \(routes[index].collection)): \(reason)"
    }
}

extension RouteTable {
    /// All errors in the routes, in their order; empty if the list is valid.
    ///
    /// - Parameter collections: the existing collections.
    package static func faults(in routes: [Route], collections: Set<CollectionName>) -> [RouteFault] {
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

    /// A collection with a stripped prefix allows no other routes with other IDs: `order::17` and `17`, or `a::17` and `b::17`, would become one
    /// document.
    private static func clash(of route: Route, stripped: String?, unstripped: Set<CollectionName>) -> String? {
        let collection = route.collection
        guard let prefix = route.strippedPrefix else {
            return stripped.map {
                "an earlier route strips \"\($0)\" into \(collection) and this one keeps IDs as they are: documents \"\($0)x\" and \"x\" would become one. Strip in neither, or use two collections"
            }
        }
        if collection == .default {
            return
                "it strips \"\(prefix)\" into \(collection), where documents that match no route keep their IDs: documents \"\(prefix)x\" and \"x\" would become one. Give it a collection of its own, or do not strip"
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
