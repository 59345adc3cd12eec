/// A route that no document can take, as far as the routes alone tell.
public struct DeadRoute: Hashable, Sendable {
    public enum Reason: Hashable, Sendable {
        /// An earlier route takes every document that this one would, because its condition is the same or wider. Its place, from 0.
        case shadowed(by: Int)
        /// No document meets the condition, for this reason.
        case impossible(String)
    }

    /// The route's place in the list, from 0.
    public let index: Int
    public let reason: Reason
}

extension RouteTable {
    /// The routes that no document can take, in their order. JavaScript and most regular expressions are not looked into, so that
    /// there may be more.
    public static func deadRoutes(in routes: [Route]) -> [DeadRoute] {
        let reaches = routes.map { RouteReach($0.condition) }
        return routes.indices.compactMap { index in
            if let reason = reaches[index].impossibility { return DeadRoute(index: index, reason: .impossible(reason)) }
            let earlier = (0..<index).first { earlier in
                routes[earlier].condition == routes[index].condition || reaches[earlier].contains(reaches[index])
            }
            return earlier.map { DeadRoute(index: index, reason: .shadowed(by: $0)) }
        }
    }
}
