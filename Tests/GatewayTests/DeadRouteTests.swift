import Testing

@testable import Gateway

@Suite("Unreachable routes")
struct DeadRouteTests {
    private func route(_ condition: RouteCondition, strips: Bool = false) -> Route {
        Route(to: CollectionName(scope: "a", name: "b"), when: condition, stripsPrefix: strips)
    }

    @Test(
        "A route is unreachable behind one that matches all of its documents",
        arguments: [
            (.idPrefix("o"), .idPrefix("order::"), true), (.idPrefix("order::"), .idPrefix("o"), false),
            (.idPrefix("a"), .idPrefix("a"), true), (.idPrefix("a"), .idPattern("^a[0-9]+$"), true),
            (.idPrefix("ab"), .idPattern("^ab?c"), false), (.idPrefix("a"), .idPattern("^ab?c"), true),
            (.idPrefix("a"), .idPattern("^a|b"), false), (.idPrefix("a"), .idPattern("a"), false),
            (.idPrefix("a.b"), .idPattern(#"^a\.b::"#), true), (.idPrefix("a.b"), .idPattern("^a.b"), false),
            (.idPattern("^order"), .idPrefix("order::"), true), (.idPattern("^order.*$"), .idPrefix("order::"), true),
            (.idPattern("^order$"), .idPrefix("order"), false), (.idPattern("^ord(er)?"), .idPrefix("order"), false),
            (.idPattern(".*"), .property(name: "t", equals: .string("x")), true), (.idPattern("^.+$"), .channel("c"), true),
            (.idPattern("[0-9]"), .channel("c"), false), (.idPattern("x+y"), .idPattern("x+y"), true),
            (.property(name: "t", equals: .number(1)), .property(name: "t", equals: .number(1)), true),
            (.property(name: "t", equals: .number(1)), .property(name: "t", equals: .string("1")), false),
            (.channel("a"), .channel("a"), true), (.channel("a"), .channel("b"), false),
            (.javaScript("function (doc) { return true; }"), .channel("b"), true), (.javaScript("doc => true"), .idPrefix("b"), true),
            (.javaScript("function (doc) { return doc.a; }"), .channel("b"), false),
            (.javaScript("function (doc) { return doc.a; }"), .javaScript("function (doc) { return doc.a; }"), true),
        ] as [(RouteCondition, RouteCondition, Bool)])
    func shadowed(first: RouteCondition, second: RouteCondition, isDead: Bool) {
        let dead = RouteTable.deadRoutes(in: [route(.channel("else")), route(first), route(second)])
        #expect(dead == (isDead ? [DeadRoute(index: 2, reason: .shadowed(by: 1))] : []))
    }

    @Test("A route for impossible IDs is unreachable", arguments: [RouteCondition.idPrefix("_design/"), .idPattern("^_x")])
    func impossible(condition: RouteCondition) throws {
        let dead = try #require(RouteTable.deadRoutes(in: [route(condition)]).first)
        guard case .impossible = dead.reason else {
            Issue.record("\(dead)")
            return
        }
    }

    @Test("Every invalid route of a list is reported, and the first one refuses the table")
    func faults() throws {
        let collection = CollectionName(scope: "a", name: "b")
        let routes = [
            route(.idPrefix("a::"), strips: true), Route(to: CollectionName(scope: "no", name: "where"), when: .channel("c")),
            route(.idPattern("(")), route(.idPrefix("b::"), strips: true), route(.channel("c")), route(.channel("d"), strips: true),
            Route(to: .default, when: .idPrefix("x"), stripsPrefix: true),
        ]
        let faults = RouteTable.faults(in: routes, collections: [collection, .default])
        #expect(faults.map(\.index) == [1, 2, 3, 4, 5, 6])
        let error = try #require(throws: GatewayError.self) { _ = try RouteTable(routes, collections: [collection, .default]) }
        #expect(error.code == .configuration && error.message.hasPrefix("Route 2 (to no.where): there is no collection"))
    }
}
