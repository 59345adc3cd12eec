import BLIP
import BridgeConfiguration
import Server
import TestSupport
import Testing

@Suite("Memory of all clients together", .timeLimit(.minutes(2)))
struct MemoryLimitTests {
    /// The value of a metric without labels.
    private func metric(_ name: String, of bridge: RunningBridge) async throws -> Int? {
        try await bridge.admin("GET", "/metrics").text.split(separator: "\n").first { $0.hasPrefix("\(name) ") }
            .flatMap { Int($0.dropFirst(name.utf8.count + 1)) }
    }

    @Test("Of connections with endless compressed messages, the connection with the most data is dropped, and others are served")
    func unfinishedMessages() async throws {
        try await RunningBridge.run(configuring: { $0.limits.memory = 40 << 20 }) { (bridge) async throws in
            func unfinished(_ megabytes: Int) async throws -> RawBLIP {
                let body = [UInt8](repeating: 0x20, count: megabytes << 20)
                let frames = try RawBLIP.frames(
                    of: .request("rev", properties: ["id": "d", "rev": "1-ab"], body: body, isCompressed: true))
                let client = try await RawBLIP(bridge)
                for frame in frames.dropLast() { try await client.socket.send(frame) }
                return client
            }
            let calm = try await RawBLIP(bridge)
            let largest = try await unfinished(28)
            try await eventually { try await metric("dualgauge_memory_used_bytes", of: bridge) ?? 0 >= 12 << 20 }
            let other = try await unfinished(24)
            // The connection with the most data at that time.
            while try await metric("dualgauge_memory_refusals_total", of: bridge) == 0 {
                _ = try await unfinished(24)
                await Task.yield()
            }
            #expect(try await calm.ask("getCheckpoint", ["client": "cp"]).errorCode == 404)
            largest.socket.socket.cut()
            other.socket.socket.cut()
            try await eventually { try await metric("dualgauge_memory_used_bytes", of: bridge) ?? 0 <= 1 << 20 }
            try await bridge.expectSound(after: "unfinished messages")
        }
    }

    @Test("A body that must wait for memory of another body gets 503, a body over the whole limit gets 413")
    func bodies() async throws {
        try await RunningBridge.run(configuring: { $0.limits.memory = 24 << 20 }) { (bridge) async throws in
            func begin(_ megabytes: Int, of announced: Int) async throws -> RawSocket {
                let socket = try bridge.connect()
                try await socket.send(
                    "POST /shop/_bulk_docs HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: \(announced << 20)\r\n\r\n"
                )
                for _ in 0..<megabytes { try await socket.send([UInt8](repeating: 0x20, count: 1 << 20)) }
                return socket
            }
            let first = try await begin(7, of: 10)
            try await eventually { try await metric("dualgauge_memory_used_bytes", of: bridge) ?? 0 >= 12 << 20 }
            let second = try await begin(7, of: 10)
            #expect(try await second.answer().status == 503)
            first.cut()
            try await eventually { try await metric("dualgauge_memory_used_bytes", of: bridge) == 0 }
            let third = try await begin(14, of: 16)
            #expect(try await third.answer().status == 413)
            #expect(try await bridge.ask("PUT", "/shop/d", "{}").status == 201)
            try await bridge.expectSound(after: "bodies")
        }
    }
}
