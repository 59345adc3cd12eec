import HTTPTypes
import LegacyServer
import Testing

@testable import Server

/// Bridges in processes of their own get requests and messages of all tables, valid and at the boundaries, from every kind of caller, many at once.
/// `make fuzz` sends millions.
@Suite("Fuzzing of running bridges", .serialized, .timeLimit(.minutes(6_000)))
struct LiveFuzzTests {
    @Test("Every route of the tables has a shape, and every shape a route")
    func complete() {
        for route in HTTPRoute.all { #expect(RequestShape.of(route) != nil, "\(route.pattern)") }
        func paths(_ isOne: (HTTPRoute) -> Bool) -> Set<String> {
            Set(HTTPRoute.all.filter(isOne).compactMap { if case .path(let path) = $0.pattern { "\(path)" } else { nil } })
        }
        #expect(Set(RequestShape.legacy.keys) == Set(LegacyRoute.table.map(\.pattern)))
        #expect(Set(RequestShape.ofDatabase.keys) == paths { [.online, .caller].contains($0.stage) && $0.requirement == nil })
        #expect(Set(RequestShape.ofAdministrators.keys) == paths { $0.stage == .registered })
        #expect(Set(RequestShape.ofServer.keys) == paths { $0.stage == .server })
        let fuzzed = Set(FuzzRoute.all.map(\.name))
        for route in MatrixRoutes.ofServer {
            let parts = route.split(separator: " ", omittingEmptySubsequences: false)
            #expect(fuzzed.contains("\(parts[0]) /\(parts[1])"), "\(route)")
        }
    }

    @Test(
        "A violation of the model is detected",
        arguments: [
            ("anna", 200, "{}", "has no right"), ("anna", 404, "{}", nil), ("anna", 404, "{\"a\":\"\(FuzzWorld.hidden)\"}", "is shown"),
            ("nobody", 200, "{}", "has no right"), ("nobody", 401, "{\"a\":\"\(FuzzWorld.closed)\"}", "is shown"),
            ("read-only", 200, "{}", nil),
            ("administrator", 500, "{}", "the status 500"), ("administrator", 200, "{\"a\":", "no JSON"),
        ] as [(String, Int, String, String?)])
    func model(_ name: String, _ status: Int, _ body: String, _ fault: String?) throws {
        let route = try #require(FuzzRoute.all.first { $0.name == "GET /{db}/_config" })
        var request = FuzzRequest(route: route, method: "GET")
        request.target = Array("/shop/_config".utf8)
        let caller = try #require(FuzzCaller.all(hasLogins: true).first { $0.name == name })
        let answer = FuzzAnswer(
            status: status, head: "HTTP/1.1 \(status) X\r\nContent-Type: application/json\r\n\r\n", body: Array(body.utf8))
        let found = AnswerModel.fault(of: answer, to: request, by: caller)
        #expect(fault.map { found?.contains($0) == true } ?? (found == nil), "\(found ?? "nothing")")
    }

    #if DEBUG
        @Test("An ended process is detected, although it is replaced at once")
        func trap() async throws {
            let bridge = try await FuzzedBridge(configuration: FileTrial.head)
            #expect(bridge.trouble == nil)
            _ = try? await RawSocket(port: bridge.port(.admin)).ask("POST", "/_trap")
            // The next process replies.
            #expect(try await RawSocket(port: bridge.port(.public)).ask("GET", "/_ping").status == 200)
            #expect(bridge.trouble?.contains("has ended") == true)
            #expect(try await bridge.stop(["shop"]).count > 1)
        }
    #endif

    @Test(
        "After any request the process is the same, replies in time, stays within its memory, and discloses no hidden document",
        .enabled(if: FuzzSettings.onlyFile == nil))
    func requests() async throws {
        let run =
            if let only = FuzzSettings.only { try await FuzzRun.play(only: only) } else { try await FuzzRun.play(FuzzSettings.requests) }
        let statuses = run.statuses.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
        print(
            "\(run.sent) requests and messages from seed \(FuzzSettings.seed), \(run.asked) connections to hostile servers; at most \(run.largest >> 20) MiB; \(statuses)"
        )
        #expect(run.sent > 0)
        for breach in run.breaches { Issue.record("\(breach)") }
    }

    @Test(
        "With damaged configurations, stores and dumps, and unusual command lines, every program ends by itself with a reason",
        .enabled(if: FuzzSettings.only == nil))
    func files() async throws {
        let numbers = FuzzSettings.onlyFile.map { $0..<($0 + 1) } ?? 0..<FuzzSettings.files
        for breach in try await FileTrials.play(numbers) { Issue.record("\(breach)") }
    }
}
