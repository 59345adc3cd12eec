import Migration
import Testing

@testable import dualgauge

@Suite("The progress line")
struct ProgressLineTests {
    private func text(_ done: Int, of total: Int?, bytes: Int = 0, after seconds: Int = 10, hasBar: Bool = false) -> String {
        ProgressLine.text(
            MigrationProgress(done: done, total: total), bytes: bytes, elapsed: .seconds(seconds), label: "replicating", hasBar: hasBar)
    }

    @Test("The line has documents, share, rate, bytes and the remaining time")
    func parts() {
        #expect(text(500, of: 2_000) == "replicating 500/2000 25 %, 50/s, ETA 30 s")
        #expect(text(500, of: 2_000, bytes: 20 << 20) == "replicating 500/2000 25 %, 50/s, 20.0 MiB, 2.0 MiB/s, ETA 30 s")
        #expect(text(12, of: nil, bytes: 5_000) == "replicating 12 documents, 1/s, 4.9 KiB, 500 B/s")
        #expect(text(1, of: 1_000) == "replicating 1/1000 0 %, 0/s")
        #expect(text(2, of: 2) == "replicating 2/2 100 %, 0/s")
        #expect(text(0, of: 0, after: 0) == "replicating 0 documents, 0/s")
        #expect(text(1, of: 2, hasBar: true) == "replicating [============            ] 1/2 50 %, 0/s, ETA 10 s")
    }
}
