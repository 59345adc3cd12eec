import ArgumentParser
import Foundation

/// `make bench`: the cost of a document on each path, compared with a plain SQLite insert of the same rows in the same run.
///
/// The figures are the processor time of the server's process, which does not depend on other load on the machine. Compare them with the plain
/// insert (the floor) of the same run.
struct PathsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "paths", abstract: "Measure the cost of a document on each path.")

    @Option(help: "Documents.")
    var documents = 100_000

    @Option(help: "The number of users of the path by channels; 0 omits that path.")
    var users = 10_000

    @Option(help: "The number of channels of that path.")
    var channels = 1_000

    @Flag(help: "Measure only migrations.")
    var onlyMigration = false

    @Option(help: "The number of attachments of the migration path. Default: one for ten documents.")
    var attachments: Int?

    @Option(help: "The number of times that a migration is killed.")
    var kills = 20

    @Flag(help: "Measure only the path by channels.")
    var onlyAccess = false

    @Flag(help: "Measure only the 2.x+ replicator, compared with the listener.")
    var onlyReplication = false

    @Option(help: "The one-way delay of the slow connection on which the replicator pulls, in milliseconds.")
    var delay = 100

    @OptionGroup var program: MeasuredProgram

    func run() async throws { try await program.run(run(in:)) }

    private func run(in folder: String) async throws {
        print("\(documents) documents of about 300 B; microseconds of processor time a document")
        if !onlyAccess, !onlyReplication {
            let rows = MigrationRows(documents: documents, attachments: attachments ?? documents / 10)
            try await MigrationPath(rows: rows, folder: folder, program: program.path).run(kills: kills)
        }
        guard !onlyMigration else { return }
        let rows = BenchmarkRows(count: documents)
        let floor = try PlainInsert.measure(rows, folder: folder)
        report("plain SQLite insert (the floor)", floor, floor: nil, memory: nil)
        let server = try await ServedProcess(program: program.path, folder: folder)
        defer { server.stop() }
        if !onlyAccess {
            var times: [String: Duration] = [:]
            for path in try await BenchmarkPath.all(rows) where !onlyReplication || path.name.hasPrefix("BLIP") {
                times[path.name] = try await measure(path.name, documents, on: server, floor: floor) { try await path.run(server.port) }
            }
            let path = ReplicationPath(
                program: program.path, folder: folder, server: server, documents: documents, delay: .milliseconds(delay))
            try await path.run(listenerPull: times["BLIP pull"] ?? .zero, listenerPush: times["BLIP push"] ?? .zero)
        }
        guard users > 0, !onlyReplication else { return }
        let access = AccessPath(rows: AccessRows(documents: documents, users: users, channels: channels))
        let everything = users + documents
        try await measure("\(users) users, documents in \(channels) channels", everything, on: server, floor: floor) {
            try await access.prepare(port: server.port, adminPort: server.adminPort)
        }
        for feed in access.feeds(documents: 40_000) {
            try await measure(feed.name, feed.documents, on: server, floor: floor) { try await feed.run(server.port) }
        }
    }

    /// - Returns: The wall-clock time.
    @discardableResult
    private func measure(
        _ name: String, _ documents: Int, on server: ServedProcess, floor: Cost, _ run: () async throws -> Void
    ) async throws -> Duration {
        let before = try server.usage()
        let start = ContinuousClock.now
        try await run()
        let wall = start.duration(to: .now)
        let after = try server.usage()
        let cost = Cost(processor: after.processor - before.processor, wall: wall, documents: documents)
        report(name, cost, floor: floor, memory: after.memory)
        return wall
    }

    private func report(_ name: String, _ cost: Cost, floor: Cost?, memory: Int?) {
        let ratio = floor.map { String(format: "%6.2f x floor", cost.microseconds / $0.microseconds) } ?? String(repeating: " ", count: 14)
        let resident = memory.map { "  \($0 / 1024) MB resident" } ?? ""
        print(
            name.padding(toLength: 42, withPad: " ", startingAt: 0),
            String(format: "%7.2f us", cost.microseconds), String(format: "%9.0f/s wall", cost.rate), ratio, resident)
    }
}
