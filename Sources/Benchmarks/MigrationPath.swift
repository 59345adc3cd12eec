import Foundation

/// The same rows out of a dump, one document a line, into a store: `dualgauge migrate --from`, in a process of its own.
struct MigrationPath {
    private let documents: Int
    private let dump: String
    private let target: String
    private let program: String

    init(rows: BenchmarkRows, folder: String, program: String) throws {
        documents = rows.rows.count
        dump = "\(folder)/rows.jsonl"
        target = "\(folder)/migrated.dualgauge"
        self.program = program
        try Data().write(to: URL(fileURLWithPath: dump))
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: dump))
        for batch in rows.batches(1_000) {
            let lines = batch.map { "{\"_id\":\"\($0.id)\",\"_rev\":\"1-\($0.digest)\",\($0.body)}\n" }
            try file.write(contentsOf: Data(lines.joined().utf8))
        }
        try file.close()
    }

    /// - Returns: what it cost, and its largest resident memory in KiB.
    func measure() async throws -> (Cost, Int) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = ["migrate", "--from", dump, "--to", target, "--no-verify", "--quiet", "--json"]
        process.standardOutput = FileHandle.nullDevice
        let before = Self.children()
        let start = ContinuousClock.now
        try process.run()
        process.waitUntilExit()
        let wall = start.duration(to: .now)
        guard process.terminationStatus == 0 else { throw MigrationFailed(status: process.terminationStatus) }
        let after = Self.children()
        return (Cost(processor: after.processor - before.processor, wall: wall, documents: documents), after.memory)
    }

    private struct MigrationFailed: Error {
        let status: Int32
    }

    /// What processes took that were started here and have ended.
    private static func children() -> (processor: Double, memory: Int) {
        var usage = rusage()
        getrusage(RUSAGE_CHILDREN.rawValue, &usage)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return (seconds(usage.ru_utime) + seconds(usage.ru_stime), usage.ru_maxrss)
    }
}
