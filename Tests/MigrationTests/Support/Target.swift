import Documents
import Foundation
import Gateway
import Logging
import Migration
import SQLiteStorage
import Scripting
import Storage
import Testing

/// The destination of imports: a store in a folder of its own, which is deleted with it.
final class Target: Sendable {
    let folder: String
    let path: String

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("migration-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        path = folder + "/target.dualgauge"
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    static func configuration(_ change: (inout DatabaseConfiguration) -> Void = { _ in }) -> DatabaseConfiguration {
        var configuration = DatabaseConfiguration(name: "target")
        configuration.collections = [
            CollectionConfiguration(name: CollectionName(scope: "s", name: "orders")),
            CollectionConfiguration(name: CollectionName(scope: "s", name: "users")),
        ]
        configuration.routes = [
            Route(to: CollectionName(scope: "s", name: "orders"), when: .property(name: "type", equals: .string("order"))),
            Route(to: CollectionName(scope: "s", name: "users"), when: .idPrefix("user::"), stripsPrefix: true),
        ]
        change(&configuration)
        return configuration
    }

    func database(_ change: (inout DatabaseConfiguration) -> Void = { _ in }) async throws -> Database {
        try await Self.database(Self.configuration(change), try SQLiteStore(path: path))
    }

    static func database(_ configuration: DatabaseConfiguration, _ store: SQLiteStore) async throws -> Database {
        try await Database(
            configuration: configuration, store: store, scripts: ScriptEngine(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, use: .added)
    }

    static var head: ReportRun {
        ReportRun(.copy, source: "list", sourceKind: "", target: "target", started: .now, version: "test")
    }

    /// The content of the store, one text per document: its place, and its revisions with bodies and attachments.
    func contents() async throws -> [String] {
        var options = SQLiteStore.Options()
        options.createsIfMissing = false
        let source = StoreSource(try SQLiteStore(path: path, options: options), label: "target")
        let contents = try await Self.contents(of: source)
        await source.close()
        return contents
    }

    static func contents(of source: any MigrationSource) async throws -> [String] {
        var lines: [String] = []
        var cursor: SourceCursor?
        while let batch = try await source.batch(after: cursor, limits: SourceBatchLimits(documents: 50)) {
            cursor = batch.cursor
            for case .document(let document) in batch.items { lines.append(text(document)) }
        }
        return lines.sorted()
    }

    static func text(_ document: SourceDocument) -> String {
        let revisions = document.revisions.map { revision in
            let attachments = (revision.attachments?.entries ?? []).map { " \($0.name)=\($0.digest.map(\.description) ?? "?")" }.joined()
            return (revision.isDeleted ? "!" : "") + (revision.isLeaf ? "" : "-")
                + "\(revision.history.map(\.text).joined(separator: " ")) \(String(decoding: revision.body, as: UTF8.self))\(attachments)"
        }
        return "\(document.collection) \(document.id): \(revisions.joined(separator: "; "))"
    }

    func expectSound() async throws {
        let store = try SQLiteStore(path: path)
        let report = try await store.check()
        try await store.close()
        #expect(report.isSound, "\(report)")
    }
}
