import Testing

@testable import BLIP

@Suite("Recorded conversations")
struct CaptureTests {
    @Test("The captures exist")
    func present() {
        #expect(Capture.names.count > 50)
    }

    @Test("Both directions decode to the recorded messages", arguments: Capture.names)
    func decodes(name: String) throws {
        let capture = try Capture(name)
        #expect(!capture.lines.isEmpty)
        for connection in Set(capture.lines.map(\.connection)) {
            // Each side receives the frames that its peer sent in the recording.
            let receivers = ["client": BLIPConnection(), "server": BLIPConnection()]
            for line in capture.lines where line.connection == connection {
                let receiver = try #require(receivers[line.from == "client" ? "server" : "client"])
                let sender = try #require(receivers[line.from])
                let event = try receiver.receive([UInt8](hex: line.payload))
                if case .request(let request) = event, !request.noReply {
                    sender.inbound.awaitReply(to: request.number, isStreamed: false)
                }
                try expect(event, line.blip)
            }
        }
    }

    private func expect(_ event: BLIPEvent?, _ recorded: Capture.Line.Meaning) throws {
        guard let properties = recorded.properties, let body = recorded.body else {
            #expect(event == nil)
            return
        }
        let message = try #require(event?.message)
        #expect(message.number == recorded.number)
        #expect(message.type == ["MSG": .request, "RPY": .reply, "ERR": .error][recorded.type])
        #expect(message.isUrgent == recorded.flags.contains("urgent"))
        #expect(message.noReply == (message.type == .request && recorded.flags.contains("noReply")))
        #expect(Dictionary(message.properties.map { ($0.key, $0.value) }) { first, _ in first } == properties)
        if body.hasSuffix(" bytes"), let count = Int(body.dropLast(6)) {
            #expect(message.body.count == count)
        } else {
            #expect(message.text == body)
        }
    }
}
