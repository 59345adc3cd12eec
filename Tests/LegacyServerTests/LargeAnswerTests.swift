import Documents
import HTTP
import LegacyProtocol
import Testing

@testable import LegacyServer

@Suite("Large documents that several clients read at a time")
struct LargeAnswerTests {
    private static let size = 300 << 10

    private let answers = LargeAnswers()

    private func body(_ byte: UInt8, count: Int = size) -> SegmentedBody {
        var body = SegmentedBody()
        body.append { $0 += Array(repeating: byte, count: count) }
        return body
    }

    private func bytes(_ body: SegmentedBody) throws -> SharedBytes {
        guard case .shared(let bytes)? = body.segments.first else { throw LegacyError(.internalError, "not shared") }
        return bytes
    }

    @Test("Equal responses share their bytes, which are counted once and released with the last of them")
    func shared() throws {
        let account = MemoryAccount(limit: 1 << 20)
        do {
            let first = try answers.share(body(1), of: "a", account)
            let second = try answers.share(body(1), of: "a", account)
            #expect(try bytes(first) === bytes(second))
            #expect(account.used == Self.size)
            #expect(first.length == Int64(Self.size) && second.bytesAtHand == body(1).pending)
            let other = try answers.share(body(2), of: "a", account)
            #expect(other.bytesAtHand == body(2).pending)
            #expect(try answers.share(body(1), of: "b", account).bytesAtHand == body(1).pending)
        }
        #expect(account.used == 0)
        #expect(try answers.share(body(1), of: "a", account).bytesAtHand == body(1).pending)
    }

    @Test("Small responses, and those with attachments that are read later, stay as they are")
    func small() throws {
        let account = MemoryAccount(limit: 1)
        let small = body(1, count: 100)
        #expect(try answers.share(small, of: "a", account).pending == small.pending)
    }

    @Test("A response that the memory does not hold is refused")
    func refused() {
        let account = MemoryAccount(limit: 1 << 10)
        let error = #expect(throws: LegacyError.self) { try answers.share(body(1), of: "a", account) }
        #expect(error?.code == .unavailable)
    }
}
