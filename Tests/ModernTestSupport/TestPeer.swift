package import BLIP
package import Documents
import Foundation
import Gateway
import Logging
import ModernProtocol
import ModernServer
import Scripting
import Storage
import Testing

/// The client of a session, which replies to the session's requests as LiteCore would.
package actor TestPeer {
    package struct Closed: Error {}

    /// A received revision.
    package struct Arrived: Sendable, Equatable {
        package let properties: [String: String]
        package let body: [UInt8]
        package let noReply: Bool

        package var id: String { properties["id"] ?? "" }
        package var revision: String { properties["rev"] ?? "" }
        package var text: String { String(decoding: body, as: UTF8.self) }
    }

    package struct Changes: Sendable {
        package let collection: String?
        package let rows: [[JSONValue]]
        package let noReply: Bool
    }

    package let socket: SocketEnd
    package let connection = BLIPConnection()
    private var replies: [UInt64: CheckedContinuation<BLIPMessage, any Error>] = [:]
    private var watchers: [CheckedContinuation<Void, Never>] = []
    package private(set) var isOver = false

    /// The received messages.
    package private(set) var requests: [BLIPMessage] = []
    package private(set) var changes: [Changes] = []
    package private(set) var revisions: [Arrived] = []
    package private(set) var norevs: [[String: String]] = []
    package private(set) var caughtUp = 0
    package private(set) var wanted = 0

    /// One-shot pulls by collection; `true` if the pull has ended.
    private var singlePulls: [String: Bool] = [:]

    /// The client's revisions by document, and its blobs by digest.
    package var known: [String: [String]] = [:]
    package var blobs: [String: [UInt8]] = [:]

    /// The client's behaviour.
    package var maxHistory: String? = "50"
    package var takesBlobsInPlace = true
    package var fetchesAttachments = true
    package var answersRevisions = true
    package var answersChanges = true
    package var refusesDeltas = false
    package var provesAttachments = true
    package var corruptsAttachments = false

    package init(_ socket: SocketEnd) {
        self.socket = socket
    }

    package func configure(_ change: @Sendable (isolated TestPeer) -> Void) { change(self) }

    /// Reads until the connection ends.
    package func run() async {
        do {
            while let frames = try await socket.receive() {
                for frame in frames {
                    guard let event = try connection.receive(frame) else { continue }
                    await receive(event)
                }
                try await flush()
                notify()
            }
        } catch {}
        isOver = true
        replies.values.forEach { $0.resume(throwing: Closed()) }
        replies = [:]
        notify()
    }

    private func notify() {
        let watchers = watchers
        self.watchers = []
        watchers.forEach { $0.resume() }
    }

    /// Waits until a condition holds.
    package func wait(until condition: @Sendable (isolated TestPeer) -> Bool) async throws {
        while !condition(self) {
            if isOver { throw Closed() }
            await withCheckedContinuation { watchers.append($0) }
        }
    }

    package func waitUntilOver() async {
        while !isOver { await withCheckedContinuation { watchers.append($0) } }
    }

    package func flush() async throws {
        var frames: [[UInt8]] = []
        while let frame = connection.nextFrame() { frames.append(frame) }
        if !frames.isEmpty { try await socket.send(frames) }
    }

    /// Sends a request and waits for its reply.
    @discardableResult
    package func ask(_ profile: String, _ properties: BLIPProperties = [:], _ body: String = "", isCompressed: Bool = false) async throws
        -> BLIPMessage
    {
        try await ask(.request(profile, properties: properties, body: Array(body.utf8), isCompressed: isCompressed))
    }

    @discardableResult
    package func ask(_ request: BLIPMessage) async throws -> BLIPMessage {
        if isOver { throw Closed() }
        if request.profile == "subChanges" {
            singlePulls[request.properties["collection"] ?? ""] = request.properties.bool("continuous") ? nil : false
        }
        let number = try connection.send(request: request)
        return try await withCheckedThrowingContinuation { continuation in
            replies[number] = continuation
            Task { try? await flush() }
        }
    }

    /// Sends requests together and waits for all replies, which are returned in the order of the requests.
    package func ask(all requests: [BLIPMessage]) async throws -> [BLIPMessage] {
        try await withThrowingTaskGroup(of: (Int, BLIPMessage).self) { group in
            for (index, request) in requests.enumerated() {
                group.addTask { (index, try await self.ask(request)) }
            }
            var found: [(Int, BLIPMessage)] = []
            for try await reply in group { found.append(reply) }
            return found.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    package func send(_ request: BLIPMessage) async throws {
        _ = try connection.send(request: request)
        try await flush()
    }

    private func receive(_ event: BLIPEvent) async {
        switch event {
        case .reply(let reply): replies.removeValue(forKey: reply.number)?.resume(returning: reply)
        case .replyPart: break
        case .request(let request):
            requests.append(request)
            await handle(request)
        }
    }

    private func handle(_ request: BLIPMessage) async {
        switch request.profile {
        case "changes": receiveChanges(request)
        case "rev": receiveRevision(request)
        case "norev": norevs.append(request.properties.dictionary)
        case "getAttachment": sendAttachment(request)
        case "proveAttachment": prove(request)
        default: reply(.error(to: request.number, domain: "BLIP", code: 404, message: "no handler for message"))
        }
    }

    private func reply(_ message: BLIPMessage) {
        do { try connection.send(reply: message) } catch { Issue.record(error) }
    }

    private func receiveChanges(_ request: BLIPMessage) {
        let rows = (try? JSONValue(request.body))?.array?.map { $0.array ?? [] } ?? []
        let collection = request.properties["collection"]
        let isOver = singlePulls[collection ?? ""]
        guard !rows.isEmpty else {
            caughtUp += 1
            if isOver != nil { singlePulls[collection ?? ""] = true }
            return
        }
        // LiteCore 3.2.1 and 4.1.0 would crash: Puller.cc has released its `_revFinder`.
        if isOver == true { Issue.record("changes after the end of a pull: \(rows)") }
        changes.append(Changes(collection: collection, rows: rows, noReply: request.noReply))
        guard answersChanges else { return }
        var answer = "["
        for row in rows {
            let id = row[1].string ?? "", revision = row[2].string ?? ""
            if answer.count > 1 { answer += "," }
            let have = known["\(collection ?? "")/\(id)"] ?? []
            let isGone = row.count > 3 && (row[3].int ?? 0) & 6 != 0
            if have.contains(revision) || isGone {
                answer += "0"
            } else {
                answer += "[" + have.map { "\"\($0)\"" }.joined(separator: ",") + "]"
                wanted += 1
            }
        }
        var properties: BLIPProperties = ["deltas": "true"]
        if takesBlobsInPlace { properties.add("blobs", "true") }
        if let maxHistory { properties.add("maxHistory", maxHistory) }
        reply(.reply(to: request.number, properties: properties, body: Array((answer + "]").utf8), isCompressed: true))
    }

    private func receiveRevision(_ request: BLIPMessage) {
        let arrived = Arrived(properties: request.properties.dictionary, body: request.body, noReply: request.noReply)
        revisions.append(arrived)
        if refusesDeltas, arrived.properties["deltaSrc"] != nil {
            return reply(.error(to: request.number, code: 422, message: "no such base"))
        }
        known["\(arrived.properties["collection"] ?? "")/\(arrived.id)", default: []].insert(arrived.revision, at: 0)
        guard !request.noReply else { return }
        let digests = (try? JSONValue(request.body))?["_attachments"]?.members?.compactMap { $0.value["digest"]?.string } ?? []
        let number = request.number
        Task {
            for digest in digests where fetchesAttachments && blobs[digest] == nil {
                var properties: BLIPProperties = ["digest": digest, "docID": arrived.id]
                if let collection = arrived.properties["collection"] { properties.add("collection", collection) }
                let got = try await ask("getAttachment", properties)
                if got.type == .reply { blobs[digest] = got.body } else { Issue.record("\(got.errorMessage ?? "")") }
            }
            if answersRevisions {
                reply(.reply(to: number))
                try await flush()
            }
            notify()
        }
    }

    /// Replies to a `changes` message that has no reply yet.
    package func answerChanges(_ number: UInt64, _ body: String) async throws {
        reply(.reply(to: number, properties: ["maxHistory": "50"], body: Array(body.utf8)))
        try await flush()
    }

    /// Replies to a request that has no reply yet.
    package func answer(_ reply: BLIPMessage) async throws {
        self.reply(reply)
        try await flush()
    }

    /// Replies to a `rev` message that has no reply yet.
    package func answerRevision(_ id: String) async throws {
        guard let request = requests.last(where: { $0.profile == "rev" && $0.properties["id"] == id }) else { return }
        reply(.reply(to: request.number))
        try await flush()
    }

    private func sendAttachment(_ request: BLIPMessage) {
        guard let digest = request.properties["digest"], var bytes = blobs[digest] else {
            return reply(.error(to: request.number, domain: "LiteCore", code: 7, message: "no such blob"))
        }
        if corruptsAttachments { bytes[0] ^= 1 }
        reply(.reply(to: request.number, body: bytes, isCompressed: request.properties.bool("compress")))
    }

    private func prove(_ request: BLIPMessage) {
        guard provesAttachments else {
            return reply(.error(to: request.number, domain: "BLIP", code: 404, message: "no handler for message"))
        }
        guard let digest = request.properties["digest"], let bytes = blobs[digest] else {
            return reply(.error(to: request.number, code: 404, message: "missing"))
        }
        let text = AttachmentDigest.sha1(of: [UInt8(request.body.count)] + request.body + bytes).description
        reply(.reply(to: request.number, body: Array((corruptsAttachments ? "sha1-wrong" : text).utf8)))
    }
}

extension BLIPProperties {
    package var dictionary: [String: String] {
        Dictionary(map { ($0.key, $0.value) }) { first, _ in first }
    }
}
