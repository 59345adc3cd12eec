import Documents
import Gateway
import LegacyTestSupport
import TestSupport
import Testing

@testable import LegacyClient
@testable import LegacyProtocol

@Suite("Pulled revisions that wait for earlier ones", .timeLimit(.minutes(2)))
struct PulledRevisionWriterTests {
    private static let size = 400

    /// A database and its writer, with room for two waiting revisions.
    private func fixture(orderTimeout: Duration) async throws -> (Bridge, PulledRevisionWriter) {
        let bridge = try await Bridge()
        var limits = ReplicationLimits()
        limits.windowSize = 2 * Self.size
        limits.writeSize = 1
        limits.orderTimeout = orderTimeout
        return (bridge, PulledRevisionWriter(keyspace: bridge.database.unified, limits: limits, isUpstream: true))
    }

    private func add(_ place: Int, in batch: ClosedRange<Int>, to writer: PulledRevisionWriter, _ bridge: Bridge) async throws {
        let text = #"{"_id":"d\#(place)","_rev":"1-aa","t":"\#(String(repeating: "x", count: Self.size - 8))"}"#
        let document = try ParsedDocument(Array(text.utf8)[...], policy: .legacyUpstream, limits: DocumentLimits())
        let revision = try await PulledRevision(
            document, intake: AttachmentImporter(keyspace: bridge.database.unified, limits: LegacyLimits()))
        let wanted = MissingRevision(
            id: revision.id, revision: revision.revision, isDeleted: false, ancestors: [], ticket: place, place: place)
        _ = try await writer.add(revision, for: wanted, in: batch) { _ in }
    }

    private func stored(_ bridge: Bridge) async throws -> [String] {
        try await bridge.database.unified.changes(ChangesQuery()).rows.map(\.id)
    }

    @Test("A response beyond the room is suspended until the previous one has arrived, and nothing overtakes it")
    func heldBack() async throws {
        let (bridge, writer) = try await fixture(orderTimeout: .seconds(600))
        let early = Task { for place in 1...6 { try await add(place, in: 1...6, to: writer, bridge) } }
        await eventually { await writer.heldBack > 0 }
        #expect(await writer.waitingSize <= 3 * Self.size)
        #expect(try await stored(bridge) == [])
        try await add(0, in: 0...0, to: writer, bridge)
        try await early.value
        _ = try await writer.flush { _ in }
        #expect(try await stored(bridge) == (0...6).map { "d\($0)" })
    }

    @Test("A revision that is known not to arrive does not suspend others")
    func passed() async throws {
        let (bridge, writer) = try await fixture(orderTimeout: .seconds(600))
        let early = Task { for place in 1...6 { try await add(place, in: 1...6, to: writer, bridge) } }
        await eventually { await writer.heldBack > 0 }
        await writer.pass(MissingRevision(id: "d0", revision: try #require(RevisionID("1-aa")), isDeleted: false, ancestors: [], ticket: 0))
        try await early.value
        _ = try await writer.flush { _ in }
        #expect(try await stored(bridge) == (1...6).map { "d\($0)" })
    }

    @Test("The order is abandoned after the timeout, and a late revision is written all the same")
    func orderIsAbandoned() async throws {
        let (bridge, writer) = try await fixture(orderTimeout: .zero)
        for place in 1...6 { try await add(place, in: 1...6, to: writer, bridge) }
        #expect(await writer.waitingSize <= 2 * Self.size)
        try await add(0, in: 0...0, to: writer, bridge)
        _ = try await writer.flush { _ in }
        #expect(try await Set(stored(bridge)) == Set((0...6).map { "d\($0)" }))
    }

    @Test("The response that others wait for is never suspended, whatever its order")
    func reversed() async throws {
        let (bridge, writer) = try await fixture(orderTimeout: .seconds(600))
        for place in (0..<30).reversed() {
            try await add(place, in: 0...29, to: writer, bridge)
            #expect(await writer.waitingSize <= 5 * Self.size)
        }
        _ = try await writer.flush { _ in }
        #expect(try await stored(bridge).count == 30)
    }

    @Test("A cancelled task that is suspended ends")
    func cancelled() async throws {
        let (bridge, writer) = try await fixture(orderTimeout: .seconds(600))
        let early = Task { for place in 1...6 { try await add(place, in: 1...6, to: writer, bridge) } }
        await eventually { await writer.heldBack > 0 }
        early.cancel()
        await #expect(throws: CancellationError.self) { try await early.value }
        #expect(await writer.heldBack == 0)
    }
}
