import Storage
import Testing

@testable import LegacyProtocol
@testable import LegacyServer

@Suite("What 1.x clients are told of trouble below")
struct ErrorTests {
    @Test(
        "A store that cannot be used is 503, after which clients come back; where it lies is not told",
        arguments: [.full, .corrupt, .readOnly, .busy, .inputOutput, .closed] as [StorageError.Code])
    func store(_ code: StorageError.Code) {
        let error = LegacyError(translating: StorageError(code, "/data/shop.dualgauge: the disk is full"))
        #expect(error.code == .unavailable)
        #expect(!error.reason.contains("/data"))
    }

    @Test("A fault of ours is 500")
    func fault() {
        struct Surprise: Error {}
        #expect(LegacyError(translating: Surprise()).code == .internalError)
        #expect(LegacyError(translating: StorageError(.unexpected, "no such column")).code == .internalError)
    }
}
