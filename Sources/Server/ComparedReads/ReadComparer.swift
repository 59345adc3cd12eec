import Access
import Coordination
import Cutover
import Documents
import Gateway
import HTTP
import HTTPListener
import HTTPTypes
import HummingbirdCore
import LegacyProtocol
import LegacyServer
import Logging
import NIOCore
import Storage

/// Answers a sample of the reads that are passed on to the old server here, too, and compares the responses. A client waits for nothing of it, and
/// nothing is written.
///
/// The old server's changes arrive by a pull. So a difference counts only if it lasts for some seconds.
final class ReadComparer: Sendable {
    /// The number of reads that are compared at a time, and that wait.
    private static let workers = 4
    private static let waiting = 64

    /// The seconds after which a difference is looked at again.
    private static let pauses = [1, 2, 4]

    /// The most rows of a feed that are compared.
    private static let rows = 2_000

    private struct State {
        var queue: [SampledRead] = []
        var workers = 0
        var isClosed = false
    }

    let results: ComparedReads
    private let share: Share
    private let database: Database
    private let accounts: Accounts
    private let identifier: DeviceIdentifier
    private let listener: LegacyListener
    private let memory: MemoryAccount
    private let state = Lock(State())
    private let work = WaitGroup()
    private let closing = StopSignal()

    init(
        _ share: Share, of database: Database, accounts: Accounts, identifier: DeviceIdentifier, limits: LegacyLimits,
        memory: MemoryAccount,
        results: ComparedReads, logger: Logger
    ) {
        self.share = share
        self.database = database
        self.accounts = accounts
        self.identifier = identifier
        self.memory = memory
        self.results = results
        // Its own listener, so that these requests do not count for a client's rate.
        var limits = limits
        limits.requestRate = nil
        listener = LegacyListener(limits: limits, logger: logger)
    }

    /// Begins to copy a request, if it is a read that is in the sample; else `nil`.
    func capture(_ asked: KeyspaceRequest) async -> ReadCapture? {
        guard let kind = asked.sampledKind, Int.random(in: 0..<10_000) < share.hundredths,
            let end = try? await database.unified.lastSequence()
        else { return nil }
        return ReadCapture(kind, asked.request, upTo: end.value, asked.info)
    }

    /// Compares a read after its response; `nil` for a response that is too large.
    func compare(_ read: SampledRead?) {
        guard let read else { return results.recordSkip(.tooLarge) }
        // A refused login says nothing about the documents.
        guard read.status != 401, read.status < 500 else { return }
        let (isQueued, startsWorker) = state.withLock { state in
            guard !state.isClosed, state.queue.count < Self.waiting else { return (false, false) }
            state.queue.append(read)
            guard state.workers < Self.workers else { return (true, false) }
            state.workers += 1
            work.enter()
            return (true, true)
        }
        guard isQueued else { return results.recordSkip(.busy) }
        guard startsWorker else { return }
        // Detached: the work must not inherit the task-local values of the request.
        Task.detached { [self] in
            await run()
            work.leave()
        }
    }

    /// Stops, and waits for the reads that are being compared.
    func close() async {
        state.withLock { ($0.isClosed, $0.queue) = (true, []) }
        closing.raise()
        await work.wait()
    }

    private func run() async {
        while let read = next() {
            do {
                try await compareNow(read)
            } catch {
                results.recordSkip(.otherForm)
            }
        }
    }

    private func next() -> SampledRead? {
        state.withLock { state in
            guard !state.queue.isEmpty else {
                state.workers -= 1
                return nil
            }
            return state.queue.removeFirst()
        }
    }

    private func compareNow(_ read: SampledRead) async throws {
        let sender = Request(head: read.head, body: RequestBody(buffer: ByteBuffer()))
        let device = try await identifier.device(of: sender, RequestInfo(remoteAddress: read.address))
        var principal = Principal.guest
        if case .user(let name) = device {
            guard try await accounts.user(name) != nil else { return results.recordSkip(.unknownUser) }
            principal = .user(name)
        }
        let keyspace = database.unified.seen(by: principal)
        guard var found = try await differences(read, keyspace) else { return results.recordSkip(.otherForm) }
        for pause in Self.pauses where !found.isEmpty {
            guard await wait(pause) else { return }
            let again = Set(try await differences(read, keyspace)?.map { Key($0) } ?? [])
            found.removeAll { !again.contains(Key($0)) }
        }
        results.record(found, user: principal.userName ?? "", path: LoggedPath(read.path).text)
    }

    private struct Key: Hashable {
        let kind: ReadDifference.Kind
        let id: String

        init(_ difference: ReadDifference) {
            (kind, id) = (difference.kind, difference.id)
        }
    }

    /// - Returns: Whether the time has passed; `false` at the end of the database.
    private func wait(_ seconds: Int) async -> Bool {
        (try? await closing.interrupting { try await suspend(for: .seconds(seconds)) }) != nil
    }

    /// - Returns: `nil` if the responses have a form that is not compared.
    private func differences(_ read: SampledRead, _ keyspace: Keyspace) async throws -> [ReadDifference]? {
        guard read.kind == .documents || read.status != 200 else { return try await differences(ofFeed: read, keyspace) }
        guard let (status, type, body) = try await respond(read.head, read.body, read, keyspace) else { return nil }
        guard (status < 400) == (read.status < 400) else {
            return [ReadDifference(.status, "\(read.status) at the old server, \(status) here")]
        }
        guard (200..<300).contains(status) else { return [] }
        guard let old = ReadView(read.response, type: read.type), let here = ReadView(body, type: type) else { return nil }
        return try await unknown(ReadComparison.differences(old: old, here: here), old)
    }

    /// Compares the rows of a feed with the present rows of the same documents. Feeds of two servers have different orders and sequences.
    private func differences(ofFeed read: SampledRead, _ keyspace: Keyspace) async throws -> [ReadDifference]? {
        guard let old = ReadView(read.response, type: read.type), old.entries.count <= Self.rows else { return nil }
        let database = read.path.dropFirst().prefix { $0 != "/" }
        var found: [ReadDifference] = []
        var head = read.head
        if read.isOfWholeFeed {
            head.path = "/\(database)/_changes?style=all_docs&limit=\(Self.rows)"
            guard let (status, type, body) = try await respond(head, [], read, keyspace), status == 200,
                let here = ReadView(body, type: type)
            else { return nil }
            found = ReadComparison.extras(old: old, here: here, upTo: read.fence)
        }
        guard !old.entries.isEmpty else { return found }
        var ids: [UInt8] = []
        JSONValue.object([JSONMember("doc_ids", .array(old.entries.keys.map { .string($0) }))]).append(to: &ids)
        head.method = .post
        head.path = "/\(database)/_changes?filter=_doc_ids&style=all_docs"
        head.headerFields = [.contentType: "application/json"]
        guard let (status, type, body) = try await respond(head, ids, read, keyspace), status == 200,
            let here = ReadView(body, type: type)
        else { return nil }
        return found + (try await unknown(ReadComparison.differences(old: old, here: here), old))
    }

    /// The differences without those of revisions that are known here: the document has changed since, or another branch has won meanwhile.
    private func unknown(_ found: [ReadDifference], _ old: ReadView) async throws -> [ReadDifference] {
        let asked = found.filter { $0.kind == .revision }.map { difference in
            let texts = old.entries[difference.id]?.flatMap { $0.revision.split(separator: ",") } ?? []
            return (id: difference.id, revisions: texts.compactMap { RevisionID(String($0)) })
        }
        guard !asked.isEmpty else { return found }
        let missing = Set(try await database.unified.difference(asked).map(\.id))
        return found.filter { $0.kind != .revision || missing.contains($0.id) }
    }

    /// The bridge's own response; `nil` if it is longer than the limit.
    private func respond(
        _ head: HTTPRequest, _ body: [UInt8], _ read: SampledRead, _ keyspace: Keyspace
    ) async throws -> (status: Int, type: MediaType?, body: [UInt8])? {
        var head = head
        head.headerFields[.contentEncoding] = nil
        head.headerFields[.acceptEncoding] = nil
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer(bytes: body)))
        let info = RequestInfo(remoteAddress: read.address, shutdown: closing, memory: memory)
        let response = await listener.respond(
            to: request, at: LegacyMatch(try RequestTarget(head.path ?? "/")), in: keyspace, caller: LegacyCaller(isAdministrator: false),
            info: info)
        let collected = CollectedBody(limit: SampledRead.responseSize)
        do {
            try await response.body.write(CollectingWriter(collected: collected))
        } catch is CollectedBody.TooLong {
            return nil
        }
        return (response.status.code, response.headers[.contentType].flatMap { MediaType($0) }, collected.bytes)
    }
}

/// The body of a response in memory.
private final class CollectedBody: Sendable {
    struct TooLong: Error {}

    private let limit: Int
    private let state = Lock<[UInt8]>([])

    init(limit: Int) {
        self.limit = limit
    }

    var bytes: [UInt8] { state.withLock { $0 } }

    func add(_ buffer: ByteBuffer) throws {
        try state.withLock { bytes in
            guard bytes.count + buffer.readableBytes <= limit else { throw TooLong() }
            bytes.append(contentsOf: buffer.readableBytesView)
        }
    }
}

private struct CollectingWriter: ResponseBodyWriter {
    let collected: CollectedBody

    mutating func write(_ buffer: ByteBuffer) async throws {
        try collected.add(buffer)
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}

extension KeyspaceRequest {
    /// The kind of a read that can be compared; `nil` for other requests.
    fileprivate var sampledKind: SampledRead.Kind? {
        guard !request.wantsWebSocket, case .legacy(let match) = resolution.found, let pattern = match.pattern else { return nil }
        switch (pattern, request.method) {
        case (.endpoint("_changes"), .get):
            return ["normal", "longpoll", nil].contains(resolution.target.query["feed"]) ? .changes : nil
        case (.endpoint("_bulk_get"), .post), (.document, .get): return .documents
        default: return nil
        }
    }
}
