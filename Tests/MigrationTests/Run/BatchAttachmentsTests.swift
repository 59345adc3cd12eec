import Coordination
import Documents
import Gateway
import Migration
import Storage
import Testing

@Suite("Attachments of a batch")
struct BatchAttachmentsTests {
    private func run(_ source: any MigrationSource, _ database: Database) async -> MigrationResult {
        var options = MigrationOptions()
        options.missingAttachments = .quarantine
        return await SourceMigration(source, to: database, options: options, head: Target.head).run { _ in }
    }

    @Test("Several attachments are read at a time, up to a limit", .timeLimit(.minutes(5)))
    func together() async throws {
        let target = try Target()
        let database = try await target.database()
        let count = 40
        let items = (0..<count).map { document("d\($0)", revision("1-aa", attachments: attachment([UInt8($0)]))) }
        // All requests wait until eight have arrived.
        let source = GatheringSource(ListSource(items, attachments: (0..<count).map { [UInt8($0)] }), group: 8)
        let result = await run(source, database)
        #expect(result.failure == nil && result.report.isClean)
        #expect(source.most == 8)
        for number in 0..<count { #expect(try await database.unified.attachment(.sha1(of: [UInt8(number)]))?.length == 1) }
        try await database.close()
        try await target.expectSound()
    }

    @Test("An attachment that is missing under its first name is looked up under the next, and is read once")
    func elsewhere() async throws {
        let target = try Target()
        let database = try await target.database()
        let items = ["a", "b", "c"].map { document($0, revision("1-aa", attachments: attachment([7]))) }
        let source = ForgetfulSource(ListSource(items, attachments: [[7]]), forgets: "a")
        let result = await run(source, database)
        #expect(result.report.failures.items.map(\.id) == ["a"])
        #expect(result.report.total.written.documents == 2)
        #expect(source.asked.withLock { $0 } == ["a", "b"])
        try await database.close()
        try await target.expectSound()
    }

    @Test("A source that disappears in the middle of an attachment ends the run, which continues later")
    func gone() async throws {
        let target = try Target()
        let database = try await target.database()
        let large = [UInt8](repeating: 7, count: 300_000)
        let items = (0..<9).map { document("d\($0)", revision("1-aa", attachments: attachment([UInt8($0)]))) }
        let list = ListSource(items + [document("large", revision("1-aa", attachments: attachment(large)))], attachments: [large])
        for number in 0..<9 { list.state.withLock { $0.attachments[.sha1(of: [UInt8(number)])] = [UInt8(number)] } }
        let source = ForgetfulSource(list, breaksAt: "large")
        let broken = await run(source, database)
        #expect((broken.failure as? SourceError)?.code == .unreachable)
        #expect(broken.report.failures.count == 0)
        let whole = await run(list, database)
        #expect(whole.failure == nil && whole.report.isClean)
        #expect(whole.report.total.written.documents == 10)
        try await database.close()
        try await target.expectSound()
    }
}

/// A source that responds to requests for attachments when this number waits.
private final class GatheringSource: MigrationSource {
    private struct State {
        var waiting: [CheckedContinuation<Void, Never>] = []
        var reading = 0
        var most = 0
    }

    private let source: ListSource
    private let group: Int
    private let state = Lock(State())

    init(_ source: ListSource, group: Int) {
        self.source = source
        self.group = group
    }

    var most: Int { state.withLock { $0.most } }
    var label: String { source.label }

    func summary() async throws -> SourceSummary { try await source.summary() }

    func batch(after cursor: SourceCursor?, limits: SourceBatchLimits) async throws -> SourceBatch? {
        try await source.batch(after: cursor, limits: limits)
    }

    func readAttachment(_ attachment: SourceAttachment, _ consume: (ArraySlice<UInt8>) async throws -> Void) async throws {
        await withCheckedContinuation { continuation in
            let released = state.withLock { state in
                state.reading += 1
                state.most = max(state.most, state.reading)
                state.waiting.append(continuation)
                guard state.waiting.count == group else { return [CheckedContinuation<Void, Never>]() }
                defer { state.waiting = [] }
                return state.waiting
            }
            for continuation in released { continuation.resume() }
        }
        try await source.readAttachment(attachment, consume)
        state.withLock { $0.reading -= 1 }
    }

    func close() async {}
}

/// A source that lacks one document's attachment, or disappears when it is asked for it.
private final class ForgetfulSource: MigrationSource {
    private let source: ListSource
    private let forgets: String?
    private let breaksAt: String?
    let asked = Lock<[String]>([])

    init(_ source: ListSource, forgets: String? = nil, breaksAt: String? = nil) {
        self.source = source
        self.forgets = forgets
        self.breaksAt = breaksAt
    }

    var label: String { source.label }

    func summary() async throws -> SourceSummary { try await source.summary() }

    func batch(after cursor: SourceCursor?, limits: SourceBatchLimits) async throws -> SourceBatch? {
        try await source.batch(after: cursor, limits: limits)
    }

    func readAttachment(_ attachment: SourceAttachment, _ consume: (ArraySlice<UInt8>) async throws -> Void) async throws {
        asked.withLock { $0.append(attachment.document) }
        if attachment.document == forgets { throw SourceError(.attachmentMissing, "not here") }
        guard attachment.document == breaksAt else { return try await source.readAttachment(attachment, consume) }
        try await consume([UInt8](repeating: 7, count: 200_000)[...])
        throw SourceError(.unreachable, "gone")
    }

    func close() async {}
}
