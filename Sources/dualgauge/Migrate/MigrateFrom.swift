import ArgumentParser
import BridgeConfiguration
@preconcurrency import Dispatch
import Foundation
import Gateway
import Logging
import Migration
import Scripting
import Server
import Storage
import Stores

/// `migrate --from`: copies a source's documents into a store, compares both, and reports the result.
struct MigrateFrom {
    let from: String
    let target: MigrationTarget
    let options: MigrationOptions
    let access: SourceEndpoint.Access
    let isDryRun: Bool
    let verifies: Bool

    /// Whether `--partial` permits a login that does not see all documents.
    let isPartial: Bool
    let report: ReportFile?
    let output: OutputOptions

    func run() async throws {
        let scripts = ScriptEngine()
        let logger = output.logger("migrate")
        let endpoint = try SourceEndpoint(from)
        let source = try await endpoint.open(access, scripts, logger)
        do {
            try await run(source, sparing: endpoint.isServer, scripts, logger)
        } catch {
            await source.close()
            throw error
        }
        await source.close()
    }

    private func run(_ source: any MigrationSource, sparing: Bool, _ scripts: ScriptEngine, _ logger: Logger) async throws {
        let line = ProgressLine(isDryRun ? "examining" : "migrating", isQuiet: output.quiet || output.json)
        let summary = try await source.summary()
        let collections = summary.collections
        // A dry run does not create a missing store; it uses a temporary one.
        let isMissing = isDryRun ? try await !target.exists() : false
        let scratch = isMissing ? try ScratchFolder() : nil
        defer { scratch?.remove() }
        let database = try await target.open(
            collections: collections, at: scratch.map { $0.path + "/dry.dualgauge" }, use: isDryRun ? .tried : .added, scripts, logger)
        let control = MigrationControl()
        let interruption = Interruption { control.stop() }
        let signals = PauseSignals(control) { line.showMessage($0) }
        defer {
            interruption.end()
            signals.end()
        }
        var options = options
        options.backsOffFromSlowSource = sparing
        let migration = SourceMigration(source, to: database, options: options, head: head(source), control: control)
        var result = isDryRun ? await migration.preview(progress: line.show) : await migration.run(progress: line.show)
        if !isDryRun, verifies, result.failure == nil { await verify(&result, source, database, control, line) }
        result.report.run.seenChannels = summary.seenChannels
        line.finish()
        try await database.close()
        try finish(result)
    }

    private func head(_ source: any MigrationSource) -> ReportRun {
        var named: [String: String] = [:]
        if isPartial { named["partial"] = "true" }
        if let rate = options.rate { named["rate"] = String(rate) }
        if options.batch != SourceBatchLimits() { named["batch"] = String(options.batch.documents) }
        if options.imports.collectionsOnly { named["collections-only"] = "true" }
        if options.imports.excludesTombstones { named["exclude-tombstones"] = "true" }
        if options.missingAttachments != .keep { named["missing-attachments"] = options.missingAttachments.rawValue }
        return ReportRun(
            .copy, source: source.label, sourceKind: "", target: target.label, routes: target.routes, isDryRun: isDryRun, options: named,
            started: .now, version: ServerVersion.current)
    }

    private func verify(
        _ result: inout MigrationResult, _ source: any MigrationSource, _ database: Database, _ control: MigrationControl,
        _ line: ProgressLine
    ) async {
        do {
            let store = StoreSource(try await target.location.open(), label: target.label)
            do {
                // The store may contain documents that are not from the source.
                let verification = Verification(
                    source, store, imports: options.imports, routing: database, control: control, countsExtras: false)
                result.report.verification = try await verification.run(after: result.cursor, progress: line.show)
            } catch {
                result.failure = error
                result.report.run.message = "everything is written, but could not be compared: \(error)"
            }
            await store.close()
        } catch {
            result.failure = error
        }
    }

    private func finish(_ result: MigrationResult) throws {
        if output.json {
            StandardStream.output.write(try result.report.json())
        } else {
            print(ReportText(result.report).rendered)
        }
        try report?.write(result.report)
        if let failure = result.failure { throw failure }
        if !result.report.isClean || !result.report.sawEverything { throw ExitCode(Failure.Code.partial.rawValue) }
    }
}

/// SIGUSR2 pauses a run after its current batch, SIGCONT resumes it. Ctrl-Z and `fg` still stop and continue the whole process.
///
/// SIGUSR1 is not available: JavaScriptCore stops threads with it for garbage collection.
final class PauseSignals: Sendable {
    private static let numbers = [SIGUSR2, SIGCONT]

    private let sources: [any DispatchSourceSignal]

    init(_ control: MigrationControl, showMessage: @escaping @Sendable (String) -> Void) {
        let pid = ProcessInfo.processInfo.processIdentifier
        sources = Self.numbers.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler {
                if number == SIGUSR2 {
                    control.pause()
                    showMessage("pausing after this batch; `kill -CONT \(pid)` to continue")
                } else if control.isPaused {
                    control.resume()
                    showMessage("continuing")
                }
            }
            source.activate()
            return source
        }
    }

    func end() {
        for source in sources { source.cancel() }
        for number in Self.numbers { signal(number, SIG_DFL) }
    }
}
