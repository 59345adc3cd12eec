import BLIP
import ModernProtocol
import TestSupport

extension HostileConnection {
    /// Replies to the replicator's messages, and sends unsolicited messages.
    mutating func playMessages() {
        let connection = BLIPConnection()
        var webSocket = webSocket()
        let breaks = maker.random.once(in: 4)
        for _ in 0..<400 where !isEnded {
            while let frame = connection.nextFrame() { socket.send(maker.frame(frame)) }
            switch webSocket.next(milliseconds: 100) {
            case .frame(let frame) where frame.opcode == 2:
                guard let event = try? connection.receive(frame.payload) else { continue }
                receive(event, connection)
            case .frame(let frame) where frame.opcode == 9: socket.send(maker.frame(0x8a, frame.payload))
            case .frame(let frame): if frame.opcode == 8 { return }
            case .end, .broken: return
            case .silence:
                // One more unsolicited message, or the end.
                if maker.random.once(in: 20) { return }
                guard connection.hasRoom else { continue }
                _ = try? connection.send(request: maker.message(isNamed: maker.random.once(in: 2)))
            }
            if breaks, maker.random.once(in: 10) {
                for frame in maker.wrongConnection() { socket.send(frame) }
                return
            }
        }
    }

    private mutating func receive(_ event: BLIPEvent, _ connection: BLIPConnection) {
        switch event {
        case .request(let request):
            if let id = request.properties["id"] { maker.knowledge.learn(.id, id) }
            guard !request.noReply, !maker.random.once(in: 40) else { return }
            _ = try? connection.send(reply: maker.reply(to: request, ServerShape.reply(to: request.profile)))
            // The requested feed.
            if request.profile == Profile.subChanges.rawValue {
                for _ in 0..<maker.random.number(0...3) {
                    let properties = request.properties["collection"].map { ["collection": $0] } ?? [:]
                    _ = try? connection.send(request: maker.message(of: .changes, with: properties))
                }
                _ = try? connection.send(request: .request(Profile.changes.rawValue, body: Array("[]".utf8)))
            }
        case .replyPart(let part): connection.acknowledge(part)
        case .reply(let reply):
            // The revisions that the replicator has requested are sent as `rev`, or as another message.
            for _ in 0..<min(8, reply.body.split(separator: 0x2c).count) {
                _ = try? connection.send(request: maker.message(of: maker.random.pick([.rev, .rev, .rev, .norev])))
            }
        }
    }
}
