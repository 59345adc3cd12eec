import Documents
import Gateway
import Testing

@Suite("_migrations", .serialized)
struct MigrationEndpointTests {
    private func withOrders(_ body: @Sendable (RunningBridge) async throws -> Void) async throws {
        let orders = CollectionName(scope: "sales", name: "orders")
        try await RunningBridge.run {
            $0.routes.append(Route(to: orders, when: .idPrefix("late::")))
            if !$0.collections.contains(where: { $0.name == orders }) { $0.collections.append(CollectionConfiguration(name: orders)) }
        } _: { (bridge) async throws in
            try await body(bridge)
        }
    }

    private func finished(_ bridge: RunningBridge) async throws -> JSONValue {
        var status = try await bridge.admin("GET", "/shop/_migrations").json
        while ["running", "reverting"].contains(status["state"]?.string) {
            status = try await bridge.admin("GET", "/shop/_migrations").json
        }
        return status
    }

    @Test("A migration moves documents while the database is served, reports its progress, and is reverted")
    func startAndRevert() async throws {
        try await withOrders { bridge in
            let idle = try await bridge.admin("GET", "/shop/_migrations").json
            #expect(idle["state"]?.string == "idle" && idle["runs"]?.array?.isEmpty == true)
            // Written to the default collection directly, where no route applies.
            for number in 0..<5 {
                #expect(try await bridge.ask("PUT", "/shop._default._default/late::\(number)", "{}").status == 201)
            }
            #expect(try await bridge.admin("POST", "/shop/_migrations", #"{"action":"start"}"#).status == 200)
            let done = try await finished(bridge)
            #expect(done["state"]?.string == "idle")
            #expect(done["moved"]?["sales.orders"]?.int == 5)
            #expect(done["runs"]?.array?.last?["state"]?.string == "done")
            #expect(try await bridge.ask("GET", "/shop.sales.orders/late::3").status == 200)
            #expect(try await bridge.ask("GET", "/shop/late::3").status == 200)
            #expect(try await bridge.admin("POST", "/shop/_migrations", #"{"action":"revert"}"#).status == 200)
            #expect(try await finished(bridge)["reverted"]?.int == 5)
            #expect(try await bridge.ask("GET", "/shop._default._default/late::3").status == 200)
            try await bridge.expectSound(after: "a revert")
        }
    }

    @Test("A migration can be paused, resumed and cancelled; other actions are refused, and the public port has no such endpoint")
    func control() async throws {
        try await withOrders { bridge in
            #expect(try await bridge.admin("POST", "/shop/_migrations", #"{"action":"pause"}"#).status == 200)
            #expect(try await bridge.admin("POST", "/shop/_migrations", #"{"action":"cancel"}"#).status == 200)
            #expect(try await bridge.admin("POST", "/shop/_migrations?action=resume").status == 200)
            _ = try await finished(bridge)
            #expect(try await bridge.admin("POST", "/shop/_migrations", #"{"action":"x"}"#).status == 400)
            #expect(try await bridge.admin("POST", "/shop/_migrations").status == 400)
            #expect(try await bridge.admin("POST", "/none/_migrations?action=start").status == 404)
            #expect(try await bridge.ask("GET", "/shop/_migrations").status != 200)
        }
    }
}
