import Documents
import Foundation
import Testing

@Suite("A process that is killed at a random moment")
struct CrashTests {
    private static var rounds: Int { ProcessInfo.processInfo.environment["DUALGAUGE_CRASH_ROUNDS"].flatMap { Int($0) } ?? 5 }

    @Test("Every acknowledged revision is in the store after a restart, and the store is intact")
    func kill() async throws {
        let folder = try TemporaryFolder()
        let config = try folder.write(
            """
            listen: { public: "127.0.0.1:0", admin: "127.0.0.1:0" }
            databases: { shop: { store: shop.dualgauge, guest: { enabled: true, channels: ["*"] } } }
            """, to: "dualgauge.yaml")
        var acknowledged: [String: String] = [:]
        var seed: UInt64 = 0x5EED
        for round in 0..<Self.rounds {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let limit = 1 + Int(seed >> 33) % 60
            acknowledged.merge(try await push(round, config, killAfter: limit)) { $1 }
            let check = try await Program.run("check", "\(folder.path)/shop.dualgauge")
            #expect(check.code == 0, "round \(round): \(check.output) \(check.errors)")
            let program = try await Program(serving: config)
            let socket = try RawSocket(port: program.port)
            let all = Array(acknowledged)
            for start in stride(from: 0, to: all.count, by: 1000) {
                let query = all[start..<min(start + 1000, all.count)].map { "\"\($0.key)\":[\"\($0.value)\"]" }.joined(separator: ",")
                let answer = try await socket.ask("POST", "/shop/_revs_diff", "{\(query)}")
                #expect(answer.status == 200)
                #expect(try answer.json.members?.count == 0, "round \(round): \(answer.text.prefix(300))")
            }
            await program.kill()
        }
        #expect(!acknowledged.isEmpty)
    }

    /// Pushes from four connections until a number of batches is acknowledged, kills the bridge while others are in progress, and returns the
    /// acknowledged revisions.
    private func push(_ round: Int, _ config: String, killAfter limit: Int) async throws -> [String: String] {
        let program = try await Program(serving: config)
        return await withTaskGroup(of: [String].self) { group in
            let (batches, batch) = AsyncStream.makeStream(of: Void.self)
            for connection in 0..<4 {
                group.addTask {
                    var known: [String] = []
                    // Every failure here is caused by the kill; unacknowledged writes may be stored or not.
                    guard let socket = try? RawSocket(port: program.port) else { return known }
                    for number in 0... {
                        let ids = (0..<20).map { "r\(round)-c\(connection)-\(number)-\($0)" }
                        let docs = ids.map { "{\"_id\":\"\($0)\",\"_rev\":\"1-abc\",\"n\":\(number)}" }.joined(separator: ",")
                        guard let answer = try? await socket.ask("POST", "/shop/_bulk_docs", "{\"new_edits\":false,\"docs\":[\(docs)]}"),
                            answer.status == 201
                        else { break }
                        known += ids
                        batch.yield()
                    }
                    return known
                }
            }
            var count = 0
            for await _ in batches {
                count += 1
                if count == limit { break }
            }
            await program.kill()
            var all: [String: String] = [:]
            for await ids in group { for id in ids { all[id] = "1-abc" } }
            return all
        }
    }
}
