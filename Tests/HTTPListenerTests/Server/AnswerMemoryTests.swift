import HTTPTypes
import HummingbirdCore
import NIOCore
import TestSupport
import Testing

@testable import HTTP
@testable import HTTPListener

@Suite("Memory of responses")
struct AnswerMemoryTests {
    /// Sends as many bytes as the path contains.
    @Sendable private static func answer(_ request: Request, _ info: RequestInfo) async -> Response {
        let size = Int(request.head.path?.dropFirst() ?? "") ?? 0
        return Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(repeating: 0x78, count: size)))
    }

    private func ask(_ port: Int, megabytes: Int) async throws -> RawClient {
        let client = try await RawClient.connect(port: port, receiveBuffer: 4096)
        try await client.send("GET /\(megabytes << 20) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        return client
    }

    /// The number of bytes until the connection ends, in any way.
    private func received(by client: RawClient) async -> Int {
        (try? await client.bytesToEnd().count) ?? 0
    }

    @Test("An unread response is accounted, and ends when other responses need its memory", .timeLimit(.minutes(2)))
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

    @Test("A response without available memory ends its connection, and small ones use none", .timeLimit(.minutes(2)))
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
