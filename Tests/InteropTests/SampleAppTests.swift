import Coordination
import Gateway
import Testing

@testable import SampleApp

/// The code of samples/app, as it is.
@Suite("The sample app at a running bridge", .timeLimit(.minutes(5)))
struct SampleAppTests {
    /// What the app shows.
    private final class Output: Sendable {
        private let lines = Lock<[String]>([])
        var all: [String] { lines.withLock { $0 } }

        func show(_ line: String) { lines.withLock { $0.append(line) } }

        func contains(_ beginning: String) -> Bool { all.contains { $0.hasPrefix(beginning) } }
    }

    @Test("An app with collections saves and replicates an order; a 1.x app gets it, and saves one of its own")
    func bothGenerations() async throws {
        try await RunningBridge.run { bridge in
            let folder = try TemporaryFolder()
            let (modern, legacy) = (Output(), Output())
            try await ShopApp.run("127.0.0.1:\(bridge.port)/shop", isLegacy: false, folder: "\(folder.path)/a.dualgauge", show: modern.show)
            #expect(
                modern.contains("2.x+: connecting") && modern.contains("2.x+: stopped") && modern.contains("replicated continuously"),
                "\(modern.all)")
            try await ShopApp.run("127.0.0.1:\(bridge.port)/shop", isLegacy: true, folder: "\(folder.path)/b.dualgauge", show: legacy.show)
            #expect(legacy.contains("1.x push: stopped") && legacy.contains("replicated continuously"), "\(legacy.all)")
            #expect(legacy.all.count { $0.hasSuffix("Anna, 12.5, paid") } == 2, "\(legacy.all)")
            let orders = try await bridge.ask("GET", "/shop.sales.orders/_all_docs?include_docs=true").text
            #expect(orders.contains(#""total_rows":2"#) && orders.split(separator: #""isPaid":true"#).count == 3, "\(orders)")
        }
    }

    @Test("A login that the bridge requires, and that the app does not have, ends the app", arguments: [false, true])
    func refused(isLegacy: Bool) async throws {
        try await RunningBridge.run { (database: inout DatabaseConfiguration) in
            database.guest = GuestConfiguration()
        } _: { bridge in
            let folder = try TemporaryFolder()
            let output = Output()
            await #expect {
                try await ShopApp.run(
                    "127.0.0.1:\(bridge.port)/shop", isLegacy: isLegacy, folder: "\(folder.path)/a.dualgauge", show: output.show)
            } throws: {
                "\($0)".contains("401")
            }
            #expect(output.contains("saved order-") && !output.contains("replicated once"))
        }
    }
}
