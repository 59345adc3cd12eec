import Foundation
import LegacyFiles

/// Migrations from files into collections: `dualgauge migrate --from`, compared with a plain insert of the same rows; with repeated kills; and
/// `dualgauge migrate --in` while the bridge serves.
struct MigrationPath {
    let rows: MigrationRows
    let folder: String
    let program: String

    private var database: String { "\(folder)/old.cblite2" }
    private var routes: String { "\(folder)/routes.yaml" }
    private var whole: String { "\(folder)/whole.dualgauge" }

    /// - Parameter kills: How often a run is killed.
    func run(kills: Int) async throws {
        print("\(rows.documents) documents, \(rows.attachments) attachments, 1.5 revisions a document")
        try InPlacePath.routes.write(toFile: routes, atomically: true, encoding: .utf8)
        try LegacyDatabaseFile.write(rows, to: database)
        let fromDatabase = try await compare("1.x database", database, to: whole, hasAncestors: true)
        let dump = "\(folder)/dump.jsonl"
        try LineDump.write(rows, to: dump)
        _ = try await compare("dump", dump, to: "\(folder)/dumped.dualgauge", hasAncestors: false)
        try FileManager.default.removeItem(atPath: dump)
        try FileManager.default.removeItem(atPath: "\(folder)/dumped.dualgauge")
        try await killed(kills, whole: fromDatabase.wall)
        try await InPlacePath(database: database, documents: rows.documents, folder: folder, program: program).run()
    }

    /// Measures the migration of a source and the insertion of the same rows into plain tables.
    private func compare(_ name: String, _ source: String, to target: String, hasAncestors: Bool) async throws -> MeasuredCommand {
        let plain = "\(folder)/plain.sqlite"
        let floor = try PlainImport.measure(rows, hasAncestors: hasAncestors, file: plain)
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: plain + suffix) }
        report("plain insert of the rows of the \(name)", floor)
        let command = try await migrate(source, to: target)
        let cost = Cost(processor: command.processor, wall: command.wall, documents: rows.documents)
        report("migrate --from the \(name)", cost, memory: command.memory)
        print("  \(Int(cost.rate / floor.rate * 100)) % of the rate of the plain insert; the target is 50 %")
        return command
    }

    /// Checks that a run that is killed at random times ends with the same result as an uninterrupted run.
    private func killed(_ kills: Int, whole duration: Duration) async throws {
        guard kills > 0 else { return }
        let target = "\(folder)/killed.dualgauge"
        var count = 0
        for _ in 0..<kills {
            // Chosen so that, on average, the run is half complete after the last kill. The 80 ms allow for the start of the process.
            let share = Double.random(in: 0...1) / Double(kills + 1)
            if try await migrate(database, to: target, killedAfter: .milliseconds(80) + duration * share).wasKilled { count += 1 }
        }
        _ = try await migrate(database, to: target)
        for arguments in [["verify", whole, target], ["check", target]] {
            var command = MeasuredCommand(program, arguments + ["--quiet", "--json"])
            try await command.run()
            report(
                "dualgauge \(arguments[0])", Cost(processor: command.processor, wall: command.wall, documents: rows.documents),
                memory: command.memory)
        }
        print("  killed \(count) times, and the result is equal to that of an uninterrupted run")
        try FileManager.default.removeItem(atPath: target)
    }

    private func migrate(_ source: String, to target: String, killedAfter limit: Duration? = nil) async throws -> MeasuredCommand {
        var command = MeasuredCommand(
            program, ["migrate", "--from", source, "--to", target, "--routes", routes, "--no-verify", "--quiet", "--json"])
        try await command.run(killedAfter: limit)
        return command
    }

    private func report(_ name: String, _ cost: Cost, memory: Int? = nil) {
        print(
            name.padding(toLength: 42, withPad: " ", startingAt: 0),
            String(format: "%7.2f us %9.0f/s wall", cost.microseconds, cost.rate), memory.map { "  \($0 / 1024) MB at most" } ?? "")
    }
}
