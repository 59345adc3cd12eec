import HTTP
import HTTPListener
import Storage
import Testing

@testable import LegacyProtocol
@testable import LegacyServer

@Suite("Storage errors in responses to 1.x clients")
struct ErrorTests {
    @Test(
        "An unusable store is 503, after which clients retry, and the reason does not contain its path",
        arguments: [.full, .corrupt, .readOnly, .busy, .inputOutput, .closed] as [StorageError.Code])
    func store(_ code: StorageError.Code) {
        let error = LegacyError(translating: StorageError(code, "/data/shop.dualgauge: the disk is full"))
        #expect(error.code == .unavailable)
        #expect(!error.reason.contains("/data"))
    }

    @Test("A multipart body over a limit is 413, a malformed body 400, another type 415; a long target is 414, a malformed target 400")
    func bodiesAndTargets() {
        func code(_ body: () throws -> some Any) -> LegacyError.Code? {
            do { _ = try body() } catch { return LegacyError(translating: error).code }
            return nil
        }
        func parse(_ text: String) throws {
            var parser = MultipartParser(boundary: try MultipartBoundary("b"))
            _ = try parser.consume(Array(text.utf8))
            try parser.finish()
        }
        #expect(code { try parse("--b--" + String(repeating: "x", count: 20_000)) } == .tooLarge)
        #expect(code { try parse("--b\r\n") } == .badRequest)
        #expect(code { try MultipartBoundary(contentType: nil) } == .unsupportedType)
        #expect(code { try RequestTarget("/" + String(repeating: "x", count: 70_000)) } == .uriTooLong)
        #expect(code { try RequestTarget("/%zz") } == .badRequest)
    }

    @Test(
        "An unreadable request keeps its status, if 1.x has that status",
        arguments: [
            (.badRequest, .badRequest), (.requestTimeout, .badRequest), (.contentTooLarge, .tooLarge),
            (.unsupportedMediaType, .unsupportedType),
            (.upgradeRequired, .badRequest), (.headTooLarge, .badRequest), (.invalidResponse, .internalError), (.unavailable, .unavailable),
            (.unsupportedFeature, .unsupported),
        ] as [(RequestError.Code, LegacyError.Code)])
    func requests(_ code: RequestError.Code, _ expected: LegacyError.Code) {
        #expect(LegacyError(translating: RequestError(code, reason: "no")).code == expected)
    }

    @Test("An unexpected error is 500")
    func fault() {
        struct Surprise: Error {}
        #expect(LegacyError(translating: Surprise()).code == .internalError)
        #expect(LegacyError(translating: StorageError(.unexpected, "no such column")).code == .internalError)
    }
}
