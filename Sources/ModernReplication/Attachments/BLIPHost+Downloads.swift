import BLIP
import Documents
import Gateway

extension BLIPHost {
    /// Takes an attachment from the peer, part by part.
    ///
    /// - Parameters:
    ///   - properties: Those by which messages name the collection.
    ///   - id: The document whose revision names it.
    func download(_ task: AttachmentPlan.Task, of id: String, _ properties: BLIPProperties, _ keyspace: Keyspace) async throws {
        let inbox = ReplyInbox()
        var properties = self.properties(of: task, id, properties)
        if CompressionHint.isWorthwhile(task.entry) { properties.add("compress", "true") }
        guard let number = ask(.request("getAttachment", properties: properties), into: inbox, streamsReply: true) else {
            throw RequestError(.unavailable, "The attachment \(task.digest) cannot be asked for")
        }
        let upload = keyspace.receiveAttachment(expecting: task.digest)
        do {
            try await receive(task, from: inbox, into: upload)
        } catch {
            connection.discardReply(to: number)
            forgetReply(to: number)
            try await upload.abandon()
            throw error
        }
    }

    /// What a request about an attachment says.
    func properties(of task: AttachmentPlan.Task, _ id: String, _ properties: BLIPProperties) -> BLIPProperties {
        var properties = properties
        properties.add("digest", task.digest.description)
        if subprotocol.namesDocumentOfAttachment { properties.add("docID", id) }
        return properties
    }

    private func receive(_ task: AttachmentPlan.Task, from inbox: ReplyInbox, into upload: AttachmentUpload) async throws {
        var length = 0
        while true {
            switch try await inbox.next() {
            case .replyPart(let part):
                length += part.bytes.count
                if let announced = task.entry.storedLength, length > announced { try task.entry.verify(length: length) }
                try await upload.append(part.bytes)
                connection.acknowledge(part)
                toSend.open()
                guard part.isLast else { continue }
                try task.entry.verify(length: length)
                _ = try await upload.finish()
                return
            case .reply(let reply):
                let reason = "\(reply.errorDomain ?? "") \(reply.errorCode ?? 0): \(reply.errorMessage?.prefix(500) ?? "")"
                throw RequestError(.notFound, "The attachment \"\(task.entry.name)\" (\(task.digest)) did not come: \(reason)")
            case .request:
                continue
            }
        }
    }
}
