package import Access
package import Authentication
import Foundation
package import Gateway
import HTTP
package import HTTPListener
package import HTTPTypes
package import HummingbirdCore
package import LegacyProtocol
package import LegacyServer
import Logging
import NIOCore
import Scripting
package import Storage
import TestSupport

/// A database over a store in a folder of its own, with a listener.
package final class Bridge: Sendable {
    package let database: Database
    package let store: any StoreEngine
    package let listener: LegacyListener
    package let info = RequestInfo()
    private let folder: URL

    /// - Parameter witness: Inspects the store after each write; `nil` for none.
    package init(
        limits: LegacyLimits = LegacyLimits(), witness: StoreWitness? = nil, _ configure: (inout DatabaseConfiguration) -> Void = { _ in }
    ) async throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "legacy-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var configuration = DatabaseConfiguration(name: "db")
        configure(&configuration)
        let store = try await TestStores.open(folder.appending(path: "db.dualgauge").path)
        self.store = store
        database = try await Database(
            configuration: configuration, store: witness.map { WitnessedStore(store, $0) as any Store } ?? store,
            scripts: ScriptEngine(), logger: Logger(label: "test"))
        listener = LegacyListener(limits: limits)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    /// The head of the response; the body is not yet written.
    package func respond(
        _ method: HTTPRequest.Method, _ target: String, headers: HTTPFields = [:], body: [UInt8] = [], isAdministrator: Bool = false,
        upstream: UpstreamCheckpoints? = nil, as principal: Principal = .administrator
    ) async throws -> Response {
        let parsed = try RequestTarget(target)
        let name = parsed.segments[0].value
        let keyspace =
            name == "db"
            ? database.unified : CollectionName(String(name.dropFirst(3))).flatMap { database.keyspace($0) } ?? database.unified
        let head = HTTPRequest(method: method, scheme: "http", authority: "localhost", path: target, headerFields: headers)
        return await listener.respond(
            to: Request(head: head, body: RequestBody(asyncSequence: Chunks(body))), at: LegacyMatch(parsed),
            in: keyspace.seen(by: principal),
            caller: LegacyCaller(isAdministrator: isAdministrator), info: info, upstream: upstream)
    }

    /// The complete response.
    package func send(
        _ method: HTTPRequest.Method, _ target: String, headers: HTTPFields = [:], body: [UInt8] = [], isAdministrator: Bool = false,
        upstream: UpstreamCheckpoints? = nil
    ) async throws -> Answer {
        try await Answer(
            try await respond(method, target, headers: headers, body: body, isAdministrator: isAdministrator, upstream: upstream))
    }

    package func send(
        _ method: HTTPRequest.Method, _ target: String, headers: HTTPFields = [:], json: String, isAdministrator: Bool = false
    ) async throws -> Answer {
        var headers = headers
        if headers[.contentType] == nil { headers[.contentType] = "application/json" }
        return try await send(method, target, headers: headers, body: Array(json.utf8), isAdministrator: isAdministrator)
    }

    /// Writes revisions as a replicator does.
    package func push(_ documents: String...) async throws {
        _ = try await send(.post, "/db/_bulk_docs", json: "{\"new_edits\":false,\"docs\":[\(documents.joined(separator: ","))]}")
    }
}

/// A body in pieces of odd sizes, as sockets deliver it.
private struct Chunks: AsyncSequence, Sendable {
    typealias Element = ByteBuffer
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    struct AsyncIterator: AsyncIteratorProtocol {
        var rest: ArraySlice<UInt8>
        var size = 7

        mutating func next() async -> ByteBuffer? {
            guard !rest.isEmpty else { return nil }
            let piece = rest.prefix(size)
            rest = rest.dropFirst(piece.count)
            size = size * 3 + 1
            return ByteBuffer(bytes: piece)
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(rest: bytes[...])
    }
}
