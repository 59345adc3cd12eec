import Documents
import Storage
import TestSupport
import Testing

@testable import Gateway

@Suite("Rule 3: sequences of two servers are distinguished and translated")
struct UpstreamTranslationTests {
    @Test("After random writes on both sides, the translation equals its definition and skips nothing", arguments: 0..<12)
    func random(seed: UInt64) async throws {
        let isOpaque = seed % 3 == 2
        // Half of the opaque feeds drop all but a few sequences.
        let isForgetful = seed % 6 == 5
        let fixture = try await Fixture { if isForgetful { $0.limits.upstreamSequences = 4 } }
        let model = UpstreamModel(fixture.unified) { isOpaque ? "\($0)-g1AAAA\($0)" : String($0) }
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<60 {
            let id = "d\(Int.random(in: 0..<12, using: &generator))"
            switch Int.random(in: 0..<10, using: &generator) {
            case 0..<4: try model.writeUpstream(id)
            case 4..<6: try await model.writeHere(id)
            case 6: try await model.push(id)
            default: try await model.pull(limit: Int.random(in: 1..<5, using: &generator))
            }
            guard generator.once(in: 4), model.pulled > 0 else { continue }
            let ordinal = Int64.random(in: 1...model.pulled, using: &generator)
            let position = try await fixture.unified.position(ofUpstream: model.place(ordinal))
            // In an opaque feed only the rows that were read, and not dropped since, are known.
            if isOpaque, position == .zero { continue }
            let expected = try await model.translation(of: ordinal)
            #expect(position == (expected > SequenceNumber.newOrigin.value ? FeedPosition(SequenceNumber(expected)) : .zero))
            try await model.expectNothingMissed(of: ordinal, from: position)
        }
        try await fixture.expectSound()
    }

    @Test("If only the upstream has written, the translation is exact", arguments: 0..<4)
    func exact(seed: UInt64) async throws {
        let fixture = try await Fixture()
        let model = UpstreamModel(fixture.unified)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<30 {
            try model.writeUpstream("d\(Int.random(in: 0..<20, using: &generator))")
            if generator.once(in: 3) { try await model.pull() }
        }
        try await model.pull()
        for ordinal in 1...model.ordinal {
            let position = try await fixture.unified.position(ofUpstream: model.place(ordinal))
            let offered = try await fixture.unified.feed { $0.since = position }.count
            #expect(offered == model.upstream.values.filter { $0.ordinal > ordinal }.count)
        }
    }

    @Test("A year-old position sends the changes since, and no others")
    func yearOld() async throws {
        let fixture = try await Fixture()
        let model = UpstreamModel(fixture.unified)
        for number in 0..<200 { try model.writeUpstream("d\(number)") }
        for number in 10..<13 { try model.writeUpstream("d\(number)") }
        try await model.pull()
        let position = try await fixture.unified.position(ofUpstream: UpstreamSequence("200"))
        #expect(try await fixture.unified.feed { $0.since = position }.count == 3)
    }

    @Test("In dual sync, a pushed write counts as shown by the upstream when its echo has arrived")
    func echo() async throws {
        let fixture = try await Fixture()
        let model = UpstreamModel(fixture.unified)
        for number in 0..<5 { try model.writeUpstream("d\(number)") }
        try await model.pull()
        try await model.writeHere("d0")
        try await model.writeHere("new")
        #expect(try await offered(fixture.unified, model.place(5)) == 2)
        try await model.push("d0")
        try await model.push("new")
        try await model.pull()
        #expect(try await offered(fixture.unified, model.place(7)) == 0)
        #expect(try await offered(fixture.unified, model.place(6)) == 1)
    }

    private func offered(_ keyspace: Keyspace, _ place: UpstreamSequence) async throws -> Int {
        let position = try await keyspace.position(ofUpstream: place)
        return try await keyspace.feed { $0.since = position }.count
    }

    @Test(
        "Compound sequences of Sync Gateway are translated by their safe part",
        arguments: [
            ("7", 7, 7), ("9:7", 7, 9), ("5:7", 4, 5), ("3::7", 3, 3), ("3:9:7", 3, 3), ("8:5:7", 4, 4), ("8:3:9", 2, 2),
        ])
    func compounds(_ text: String, reached: Int64, granted: Int64) {
        #expect(UpstreamSequence(text).granted == granted)
        guard case .number(let safe, let ordinal) = UpstreamSequence(text).form else {
            Issue.record("\(text) is no number")
            return
        }
        #expect(safe == reached)
        #expect(ordinal >= reached)
    }

    @Test("Positions with the same seen documents have one name, and others have their own")
    func names() {
        let names = ["7", "9:7", "7::9", "8:7"].map { UpstreamSequence($0).name }
        let (first, end) = UpstreamSequence.names(reaching: 7)
        #expect(Set(names).count == 4 && names.allSatisfy { first <= $0 && $0 < end })
    }

    @Test("A text that is no number is opaque", arguments: ["12-g1AAA", "[12,\"g1\"]", "99999999999999999999", "1:2:3:4", ":", "1:"])
    func opaque(_ text: String) {
        #expect(UpstreamSequence(text).isOpaque)
    }

    @Test("A sequence that the upstream was never seen to send means the beginning, as in a database without an upstream")
    func unknown() async throws {
        let fixture = try await Fixture { try $0.add("s.c") }
        try await fixture.unified.push("a", "1-aa")
        #expect(try await fixture.unified.position(ofUpstream: UpstreamSequence("500")) == .zero)
        let model = UpstreamModel(fixture.unified) { "\($0)-x\($0)" }
        try model.writeUpstream("a")
        try await model.pull()
        #expect(try await fixture.unified.position(ofUpstream: UpstreamSequence("1-y")) == .zero)
        #expect(try await fixture.unified.position(ofUpstream: UpstreamSequence("1")) == .zero)
        #expect(try await fixture.collection("s.c").position(ofUpstream: UpstreamSequence("1-x1")) == .zero)
    }

    @Test("A change here invalidates the upstream's state, also by a purge, and the mark does not hide it")
    func changes() async throws {
        let fixture = try await Fixture()
        let model = UpstreamModel(fixture.unified)
        for id in ["a", "b", "c"] { try model.writeUpstream(id) }
        try await model.pull()
        let end = try await fixture.unified.position(ofUpstream: model.place(3))
        try await model.writeHere("a")
        #expect(try await fixture.unified.position(ofUpstream: model.place(3)) == end)
        _ = try await fixture.unified.purge(["a"])
        #expect(try await fixture.unified.position(ofUpstream: model.place(3)).sequence > end.sequence)
    }
}
