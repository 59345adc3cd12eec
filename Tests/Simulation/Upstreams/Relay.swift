import BLIP
import Documents
import Storage

/// Connects two ends that both send at any time, and passes one request at a time in each direction; pushes wait for the end of the pull. So the
/// order of events is deterministic. It counts the traffic, and injects the fault.
actor Relay {
    private struct Side {
        let socket: Pipe
        let blip = BLIPConnection()

        /// Requests of this side that wait for their turn.
        var queue: [BLIPMessage] = []

        /// The request of this side that the other side has: its number on both sides, and whether its reply is passed on.
        var underway: (here: UInt64, there: UInt64, isAnswered: Bool)?

        /// Requests for attachments, which arrive during a revision's message: their numbers here, by those there.
        var questions: [UInt64: UInt64] = [:]
    }

    private var sides: [Side]
    private let fault: Fault?
    private var count = 0

    /// The number of collections with an unfinished pull.
    private var pulls: Int

    /// The number of them that have not started. The server reports the first when it starts, before or after the start of the next.
    private var unbegun: Int
    private(set) var traffic = Traffic()
    private var refuser: Refuser?

    /// - Parameters:
    ///   - client: The end of the bridge.
    ///   - server: The end of the server.
    ///   - pulls: The number of pulled collections.
    ///   - refuser: Refuses some revisions.
    init(client: Pipe, server: Pipe, pulls: Int, fault: Fault?, refuser: Refuser? = nil) {
        self.pulls = pulls
        unbegun = pulls
        sides = [Side(socket: client), Side(socket: server)]
        self.fault = fault
        self.refuser = refuser
    }

    /// The refused revisions.
    var refused: [RefusedRevision] { refuser?.refused ?? [] }

    /// Relays until one end is closed.
    func run() async {
        await withDiscardingTaskGroup { group in
            for side in sides.indices {
                group.addTask { await self.read(side) }
            }
        }
    }

    private func read(_ side: Int) async {
        do {
            while let frames = try await sides[side].socket.receive() {
                for frame in frames {
                    if let event = try sides[side].blip.receive(frame) { try take(event, from: side) }
                }
                try await flush(0)
                try await flush(1)
            }
            await sides[1 - side].socket.close(code: 1_000, reason: "")
        } catch {
            await sides[0].socket.drop()
            await sides[1].socket.drop()
        }
    }

    private func flush(_ side: Int) async throws {
        var frames: [[UInt8]] = []
        while let frame = sides[side].blip.nextFrame() { frames.append(frame) }
        if !frames.isEmpty { try await sides[side].socket.send(frames) }
    }

    private func take(_ event: BLIPEvent, from side: Int) throws {
        switch event {
        case .request(var request) where request.profile == "getAttachment" || request.profile == "proveAttachment":
            let number = request.number
            request.number = 0
            sides[side].questions[try sides[1 - side].blip.send(request: request)] = number
        case .request(let request): sides[side].queue.append(request)
        case .reply(var reply):
            if let number = sides[1 - side].questions.removeValue(forKey: reply.number) {
                reply.number = number
                try sides[1 - side].blip.send(reply: reply)
                return
            }
            guard let underway = sides[1 - side].underway, underway.there == reply.number else { return }
            sides[1 - side].underway = nil
            guard underway.isAnswered else { throw Disconnected() }
            WireLog.record(side == 0 ? "->" : "<-", reply)
            reply.number = underway.here
            try sides[1 - side].blip.send(reply: reply)
        case .replyPart: break
        }
        // The server's message can let the client push.
        try pass(1)
        try pass(0)
    }

    /// Passes on a side's waiting requests, as far as it is their turn.
    private func pass(_ side: Int) throws {
        while sides[side].underway == nil, side == 0 || unbegun == 0 {
            let isPulling = pulls > 0 || sides[1].underway != nil || !sides[1].queue.isEmpty
            guard let next = sides[side].queue.firstIndex(where: { side == 1 || !isPulling || !$0.isPush }) else { return }
            var request = sides[side].queue.remove(at: next)
            let kind = count == fault?.position && fault?.isAtCommit == false ? fault?.kind : nil
            count += 1
            if kind == .lost { throw Disconnected() }
            let number = request.number
            if refuses(&request, from: side) {
                if !request.noReply { try sides[side].blip.send(reply: .error(to: number, code: 403, message: "not now")) }
                continue
            }
            record(request, from: side)
            WireLog.record(side == 0 ? "->" : "<-", request)
            request.number = 0
            let there = try sides[1 - side].blip.send(request: request)
            if !request.noReply { sides[side].underway = (number, there, kind == nil) }
        }
    }

    /// Whether a request is refused. A refused revision is replaced by `norev`.
    private func refuses(_ request: inout BLIPMessage, from side: Int) -> Bool {
        let properties = request.properties
        guard request.profile == "rev", refuser != nil, let id = properties["id"], let revision = properties["rev"],
            properties["deleted"] == nil, let body = try? JSONValue(request.body),
            refuser?.refuses(id, revision, body: body, side == 0 ? .push : .pull) == true
        else { return false }
        guard side == 1 else { return true }
        var answer: BLIPProperties = ["id": id, "rev": revision, "error": "403", "reason": "not now"]
        for key in ["collection", "sequence"] { if let value = properties[key] { answer.add(key, value) } }
        request = .request("norev", properties: answer, noReply: request.noReply)
        return false
    }

    private func record(_ request: BLIPMessage, from side: Int) {
        let count = (try? JSONValue(request.body))?.array?.count ?? 0
        switch request.profile {
        case "subChanges": unbegun -= 1
        case "changes":
            traffic.rows += count
            if count == 0 { pulls -= 1 }
        case "proposeChanges": traffic.offers += count
        case "setCheckpoint": traffic.checkpoints += 1
        case "rev": if side == 0 { traffic.pushed += 1 } else { traffic.pulled += 1 }
        default: break
        }
    }
}

extension BLIPMessage {
    /// Whether the message offers or carries revisions.
    fileprivate var isPush: Bool { profile == "proposeChanges" || profile == "rev" }
}
