import Access
import Coordination
import Documents
import Foundation
import Gateway
import HTTP
import HTTPListener
import HTTPTypes
import HummingbirdCore
import LegacyTestSupport
import Logging
import NIOCore
import Scripting
import TestSupport
import Testing

@testable import LegacyProtocol
@testable import LegacyServer
@testable import SQLiteStorage
@testable import Storage

@Suite("Idle feeds and slow readers", .timeLimit(.minutes(5)))
struct SleepingFeedTests {
    /// The same database again, over a store that counts reads.
    private func counted(_ bridge: Bridge) async throws -> (database: Database, count: ReadCount) {
        let count = ReadCount()
        let database = try await Database(
            configuration: bridge.database.configuration, store: CountedStore(store: bridge.store, count: count), scripts: ScriptEngine(),
            logger: Logger(label: "test"))
        return (database, count)
    }

    private func respond(
        _ bridge: Bridge, _ path: String, in keyspace: Keyspace, shutdown: StopSignal = StopSignal()
    ) async throws -> Response {
        let head = HTTPRequest(method: .get, scheme: "http", authority: "localhost", path: path)
        return await bridge.listener.respond(
            to: Request(head: head, body: RequestBody(buffer: ByteBuffer())), at: LegacyMatch(try RequestTarget(path)), in: keyspace,
            caller: LegacyCaller(isAdministrator: keyspace.principal.isAdministrator), info: RequestInfo(shutdown: shutdown))
    }

    private func user(_ name: String, _ channels: Set<String>, in bridge: Bridge) async throws {
        var change = AccountChange()
        change.channels = channels
        try await Accounts(bridge.store).put(.user(name), change)
    }

    @Test("A write that a user cannot see causes no read for the user's feed", arguments: ["longpoll", "continuous", "eventsource"])
    func others(_ feed: String) async throws {
        let bridge = try await Bridge()
        try await user("anna", ["a"], in: bridge)
        let (database, count) = try await counted(bridge)
        let response = try await respond(
            bridge, "/db/_changes?feed=\(feed)&heartbeat=3000000", in: database.unified.seen(by: .user("anna")))
        let sink = Sink()
        let task = Task { try await response.body.write(SinkWriter(sink: sink)) }
        await eventually { bridge.store.waiterCount >= 1 }
        if feed != "longpoll" { await sink.wait { bytes, _ in !bytes.isEmpty } }
        let before = count.value
        for number in 0..<20 { try await bridge.push("{\"_id\":\"b\(number)\",\"_rev\":\"1-x\",\"channels\":\"b\"}") }
        try await bridge.push(#"{"_id":"mine","_rev":"1-x","channels":["a","b"]}"#)
        await sink.wait(for: "\"mine\"")
        #expect(count.value == before + 1)
        task.cancel()
        _ = await task.result
        #expect(await !sink.text.contains("\"b0\""))
    }

    @Test("A client that does not read holds neither a transaction nor queued rows, and writers continue")
    func slowReader() async throws {
        var limits = LegacyLimits()
        limits.changesBatch = 10
        let bridge = try await Bridge(limits: limits)
        for number in 0..<100 { try await bridge.push("{\"_id\":\"d\(number)\",\"_rev\":\"1-x\"}") }
        let (database, count) = try await counted(bridge)
        for feed in ["normal", "continuous", "longpoll"] {
            let response = try await respond(bridge, "/db/_changes?feed=\(feed)&heartbeat=3000000", in: database.unified)
            let gate = GatedSink()
            let task = Task { try await response.body.write(GatedWriter(sink: gate)) }
            await gate.waitForWrite()
            let before = count.value
            #expect(count.open == 0)
            try await bridge.push((0..<100).map { "{\"_id\":\"\(feed)\($0)\",\"_rev\":\"1-x\"}" }.joined(separator: ","))
            // Nothing is read ahead for a client that does not read.
            #expect(count.value == before)
            await gate.open()
            await gate.waitForText("\"\(feed)99\"")
            task.cancel()
            _ = await task.result
            #expect(await gate.largest < 4_000)
        }
    }

    @Test("A feed that has to end sends the current batch and its position, and not the whole backlog")
    func endOfBacklog() async throws {
        var limits = LegacyLimits()
        limits.changesBatch = 10
        let bridge = try await Bridge(limits: limits)
        for number in 0..<100 { try await bridge.push("{\"_id\":\"d\(number)\",\"_rev\":\"1-x\"}") }
        let shutdown = StopSignal()
        let response = try await respond(
            bridge, "/db/_changes?feed=continuous&heartbeat=3000000", in: bridge.database.unified, shutdown: shutdown)
        let gate = GatedSink()
        let task = Task { try await response.body.write(GatedWriter(sink: gate)) }
        await gate.waitForWrite()
        shutdown.raise()
        await gate.open()
        try await task.value
        let text = await gate.text
        #expect(text.contains("\"d9\"") && !text.contains("\"d10\"") && text.contains("\"last_seq\""))
    }
}

/// A client that does not read until it is opened.
private actor GatedSink {
    private(set) var text = ""
    private(set) var largest = 0
    private var isOpen = false
    private var isWritten = false
    private var waiters: [CheckedContinuation<Void, Never>] = []

    func receive(_ buffer: ByteBuffer) async {
        isWritten = true
        wake()
        while !isOpen { await withCheckedContinuation { waiters.append($0) } }
        text += String(buffer: buffer)
        largest = max(largest, buffer.readableBytes)
        wake()
    }

    func open() {
        isOpen = true
        wake()
    }

    func waitForWrite() async {
        while !isWritten { await withCheckedContinuation { waiters.append($0) } }
    }

    func waitForText(_ wanted: String) async {
        while !text.contains(wanted) { await withCheckedContinuation { waiters.append($0) } }
    }

    private func wake() {
        let woken = waiters
        waiters = []
        for waiter in woken { waiter.resume() }
    }
}

private struct GatedWriter: ResponseBodyWriter {
    let sink: GatedSink

    func write(_ buffer: ByteBuffer) async throws { await sink.receive(buffer) }
    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
