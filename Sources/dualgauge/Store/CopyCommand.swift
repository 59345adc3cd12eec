import ArgumentParser
import Coordination
import Foundation
import Migration
import Storage
import StoreCopy
import Stores

/// `dualgauge copy FROM TO`.
struct CopyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy",
        abstract: "Copy or move a whole store between SQLite and PostgreSQL, while it is served.",
        discussion: """
            Everything is taken along byte for byte: documents with their revisions and attachments, sequences, checkpoints, users, sessions, \
            journals and the configuration. So clients go on at the new place with the checkpoints that they have.

            FROM and TO are each a store's folder, or postgres://USER@HOST/DATABASE?schema=NAME. The password is taken from PGPASSWORD or ~/.pgpass. \
            TO must be empty, or hold an unfinished copy of the same store, or the store that was moved away from there.

            FROM may be served meanwhile. The rows are copied and compared first, and the changes since then afterwards. At the end writers wait \
            for a moment, FROM is marked as moved, and TO becomes a store. From then on a bridge with FROM open answers writes with 503: change \
            `store:` in its configuration to TO and restart it. No acknowledged write is missing.

            With --keep FROM stays in use, and TO is another store like a restored backup: its counter is raised beyond the sequences that \
            clients may get from FROM.

            If the command is stopped, or killed, repeat it: it goes on where it was. No command opens an unfinished copy.

              dualgauge copy shop.dualgauge 'postgres://bridge@db1,db2/sync?schema=shop&sslmode=verify-full'
              dualgauge copy 'postgres://bridge@db1,db2/sync?schema=shop' shop.dualgauge
              dualgauge copy --verify-only shop.dualgauge 'postgres://bridge@db1,db2/sync?schema=shop'
              dualgauge copy --release shop.dualgauge

            Exit codes: 0 done; 1 stopped, or there are differences; 2 TO holds other data, or FROM was moved to another place; 3 one of both \
            cannot be read or written.
            """)

    @Argument(help: "The store to copy: a folder such as shop.dualgauge, or postgres://...?schema=NAME.", completion: .directory)
    var from: String

    @Argument(help: "The new place, in the same form.", completion: .directory)
    var to: String?

    @Flag(help: "Leave FROM in use, and make an independent copy of one moment.")
    var keep = false

    @Flag(help: "Copy nothing: compare both stores row by row, and print the differences.")
    var verifyOnly = false

    @Flag(
        help: """
            Without TO: take FROM into use again after it was moved, or end the copy from it that is not finished. Writes at the new place are not \
            in FROM.
            """)
    var release = false

    @OptionGroup var output: OutputOptions

    func validate() throws {
        if release != (to == nil) { throw ValidationError(release ? "--release takes one store" : "Name the new place") }
        if [keep, verifyOnly, release].count(where: { $0 }) > 1 {
            throw ValidationError("Choose one of --keep, --verify-only and --release")
        }
    }

    func run() async throws {
        let source = try StoreArgument.location(from)
        guard let to else { return try await releaseSource(source) }
        let target = try StoreArgument.location(to)
        let line = ProgressLine("copying", isQuiet: output.quiet || output.json)
        let interruption = Interruption()
        defer {
            interruption.end()
            line.finish()
        }
        let work = CopyWork(source: source, target: target, keeps: keep, interruption: interruption, line: line)
        if verifyOnly {
            let comparison = try await onNewThread { try work.compare() }
            line.finish()
            try report(comparison)
        } else {
            let summary = try await onNewThread { try work.copy() }
            line.finish()
            try report(summary)
        }
    }

    private func releaseSource(_ place: StoreLocation) async throws {
        let wasMoved = try await onNewThread {
            let source = try place.copySource()
            defer { source.close() }
            let wasMoved = try source.moved() != nil
            if wasMoved { try source.release() }
            try source.end()
            return wasMoved
        }
        if output.json { return try JSONOutput.print(CopyReleaseOutput(store: from, wasMoved: wasMoved)) }
        let text =
            wasMoved ? "is in use here again; its counter is raised beyond the sequences of the new place" : "has no copy in progress"
        StandardStream.output.write("\(from) \(text).\n")
    }

    private func report(_ summary: CopySummary) throws {
        if output.json { return try JSONOutput.print(CopyOutput(from, to ?? "", summary, keeps: keep)) }
        StandardStream.output.write(CopyOutput(from, to ?? "", summary, keeps: keep).rendered + "\n")
    }

    private func report(_ comparison: RowComparison) throws {
        let result = CopyComparisonOutput(from, to ?? "", comparison)
        if output.json { try JSONOutput.print(result) } else { StandardStream.output.write(result.rendered + "\n") }
        if comparison.count > 0 { throw ExitCode(Failure.Code.partial.rawValue) }
    }
}

/// The blocking work of the command, on one thread.
private struct CopyWork: Sendable {
    let source: StoreLocation
    let target: StoreLocation
    let keeps: Bool
    let interruption: Interruption
    let line: ProgressLine

    func copy() throws -> CopySummary {
        try withEnds { source, target in
            var options = StoreCopier.Options()
            options.keepsSource = keeps
            return try StoreCopier(source, target, options, isCancelled: isStopped, progress: show).run()
        }
    }

    func compare() throws -> RowComparison {
        try withEnds { try StoreComparison($0, $1, isCancelled: isStopped, progress: show).run() }
    }

    private func withEnds<Value>(_ work: (any CopySource, any CopyTarget) throws -> Value) throws -> Value {
        let (source, target) = (try source.copySource(), try target.copyTarget())
        defer {
            source.close()
            target.close()
        }
        return try work(source, target)
    }

    private func isStopped() -> Bool { interruption.isBegun }

    private func show(_ progress: CopyProgress) {
        let isCopying = progress.phase == .copying
        line.show(
            MigrationProgress(
                done: progress.bytes, total: nil, activity: "\(isCopying ? "copying" : "comparing") \(progress.table)", unit: .bytes,
                phase: isCopying ? .running : .comparing))
    }
}
