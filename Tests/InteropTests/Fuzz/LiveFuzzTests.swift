import HTTPTypes
import LegacyReplication
import Testing

@testable import Server

/// Bridges in processes of their own are sent everything that the tables of routes and messages have, right and at its boundaries, by everybody,
/// by many at once. `make fuzz` takes millions.
@Suite("Fuzzing living bridges", .serialized, .timeLimit(.minutes(6_000)))
struct LiveFuzzTests {
    @Test("Every route of the tables has a shape, and every shape a route")
    func complete() {
        let fuzzed = Set(FuzzRoute.all.map(\.name))
        #expect(FuzzRoute.legacy.count == LegacyRoute.table.map(\.methods.count).reduce(0, +))
        #expect(FuzzRoute.ofDatabase.count == AdminRoute.table.map(\.methods.count).reduce(0, +))
        #expect(FuzzRoute.ofAdministrators.count == DatabaseRoute.table.map(\.methods.count).reduce(0, +))
        #expect(Set(RequestShape.legacy.keys) == Set(LegacyRoute.table.map(\.pattern)))
        #expect(Set(RequestShape.ofDatabase.keys) == Set(AdminRoute.table.map { FuzzRoute.text($0.path) }))
        #expect(Set(RequestShape.ofAdministrators.keys) == Set(DatabaseRoute.table.map { FuzzRoute.text($0.path) }))
        for route in MatrixRoutes.ofServer {
            let (method, path) = (route.split(separator: " ")[0], route.split(separator: " ")[1])
            #expect(fuzzed.contains("\(method) /\(path)"), "\(route)")
        }
    }

    @Test(
        "Whatever is sent, the process stays the same, answers in time, takes no more memory than it may, and tells nobody what is not for him"
    )
    func requests() async throws {
        let run =
            if let only = FuzzSettings.only { try await FuzzRun.play(only: only) } else { try await FuzzRun.play(FuzzSettings.requests) }
        let statuses = run.statuses.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
        print("\(run.sent) requests and messages from seed \(FuzzSettings.seed); at most \(run.largest >> 20) MiB; \(statuses)")
        #expect(run.sent > 0)
        for breach in run.breaches { Issue.record("\(breach)") }
    }
}
