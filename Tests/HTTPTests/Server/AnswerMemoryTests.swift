import HTTPTypes
import HummingbirdCore
import NIOCore
import TestSupport
import Testing

@testable import HTTP

@Suite("Memory of answers")
struct AnswerMemoryTests {
    /// Answers with as many bytes as the path says.
    @Sendable private static func answer(_ request: Request, _ info: RequestInfo) async -> Response {
        let size = Int(request.head.path?.dropFirst() ?? "") ?? 0
        return Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(repeating: 0x78, count: size)))
    }

    private func ask(_ port: Int, megabytes: Int) async throws -> RawClient {
        let client = try await RawClient.connect(port: port, receiveBuffer: 4096)
        try await client.send("GET /\(megabytes << 20) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        return client
    }

    /// How many bytes come until the connection ends, in whatever way.
    private func received(by client: RawClient) async -> Int {
        (try? await client.bytesToEnd().count) ?? 0
    }

    @Test("An answer that is not read is accounted for, and ends where others need its memory", .timeLimit(.minutes(2)))
    func evicted() async throws {
        let account = MemoryAccount(limit: 40 << 20)
        try await withServer(limits: quickLimits, memory: account, handler: Self.answer) { port, _ in
            let idle = try await ask(port, megabytes: 32)
            await eventually { account.used >= 32 << 20 }
            let reader = try await ask(port, megabytes: 16)
            #expect(try await reader.bytesToEnd().count > 16 << 20)
            #expect(await received(by: idle) < 32 << 20)
            await eventually { account.used == 0 }
            #expect(account.refusals == 1)
        }
    }

    @Test("An answer for which there is no memory ends its connection, and small ones draw on nothing", .timeLimit(.minutes(2)))
    func refused() async throws {
        let account = MemoryAccount(limit: 1 << 20)
        try await withServer(limits: quickLimits, memory: account, handler: Self.answer) { port, _ in
            let large = try await ask(port, megabytes: 4)
            #expect(await received(by: large) < 1 << 20)
            #expect(account.refusals == 1 && account.used == 0)
            let small = try await ask(port, megabytes: 0).readToEnd()
            #expect(small.hasPrefix("HTTP/1.1 200 OK"))
        }
    }
}
