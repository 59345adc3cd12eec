import BLIP
import Coordination
import Documents

extension ModernApp {
    /// Pushes edits until the writing phase ends.
    func push(_ conversation: Conversation) async throws {
        while world.isWriting {
            try await suspend(for: .seconds(Double.random(in: pause)))
            let edits = try await documents.push(batch, in: world) { try await send($0, conversation) }
            for edit in edits { holding.record(edit.id, number: edit.number) }
        }
    }

    private func send(_ edits: [Edit], _ conversation: Conversation) async throws {
        let isVersioned = dialect == .fourth
        let rows = edits.map { edit in
            let (name, parent) =
                isVersioned ? (edit.version, edit.parentVersion) : (edit.history[0].text, edit.history.dropFirst().first?.text ?? "")
            return #"["\#(edit.id)","\#(name)","\#(parent)",\#(edit.body.count)]"#
        }
        let proposal = BLIPMessage.request(
            "proposeChanges", properties: properties, body: Array("[\(rows.joined(separator: ","))]".utf8), isCompressed: true)
        let answers = try JSONValue(try await conversation.ask(proposal).body).array ?? []
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, edit) in edits.enumerated() {
                let answer = index < answers.count ? answers[index] : .number("0")
                switch answer.int ?? answer["status"]?.int ?? 500 {
                case 0: group.addTask { try await conversation.ask(revision(edit)) }
                // The edit was stored before; only its acknowledgement was lost.
                case 304: break
                case let status: throw SoakError("a proposal is answered with \(status)")
                }
            }
            try await group.waitForAll()
        }
    }

    private func revision(_ edit: Edit) -> BLIPMessage {
        var properties = properties
        properties.add("id", edit.id)
        properties.add("rev", dialect == .fourth ? edit.version : edit.history[0].text)
        properties.add("noconflicts", "true")
        properties.add("sequence", "\(edit.number)")
        if dialect != .fourth, edit.history.count > 1 {
            properties.add("history", edit.history.dropFirst().map(\.text).joined(separator: ","))
        }
        if edit.isDeleted { properties.add("deleted", "1") }
        return .request("rev", properties: properties, body: edit.body, isCompressed: true)
    }
}
