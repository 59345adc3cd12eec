package import BLIP
import Coordination
import Documents
import Foundation
package import Gateway
import Storage

extension BLIPSession {
    /// Downloads an attachment from the peer, part by part.
    ///
    /// - Parameters:
    ///   - properties: The properties that name the collection.
    ///   - id: The document whose revision refers to the attachment.
    package func download(_ task: AttachmentPlan.Task, of id: String, _ properties: BLIPProperties, _ keyspace: Keyspace) async throws {
        let inbox = ReplyInbox()
        var properties = self.properties(of: task, id, properties)
        if CompressionHint.isWorthwhile(task.entry) { properties.add("compress", "true") }
        guard let number = ask(.request("getAttachment", properties: properties), into: inbox, streamsReply: true) else {
            throw BLIPRequestError(.unavailable, "The attachment \(task.digest) cannot be requested")
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

    /// The properties of a request about an attachment.
    package func properties(of task: AttachmentPlan.Task, _ id: String, _ properties: BLIPProperties) -> BLIPProperties {
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
                toSend.notifyAll()
                guard part.isLast else { continue }
                try task.entry.verify(length: length)
                _ = try await upload.finish()
                return
            case .reply(let reply):
                let reason = "\(reply.errorDomain ?? "") \(reply.errorCode ?? 0): \(reply.errorMessage?.prefix(500) ?? "")"
                throw BLIPRequestError(.notFound, "The attachment \"\(task.entry.name)\" (\(task.digest)) was not received: \(reason)")
            case .request:
                continue
            }
        }
    }

    /// Sends an attachment as the reply to a request, part by part at the peer's pace.
    package func upload(_ wanted: GetAttachment, _ keyspace: Keyspace) async {
        await uploads.acquire()
        defer { uploads.release() }
        let attachment: AttachmentReader
        do {
            attachment = try await wanted.reader(in: keyspace)
        } catch {
            return refuse(wanted.number, error)
        }
        do {
            try await stream(attachment, to: wanted)
        } catch {
            // A partly sent reply cannot be replaced by an error reply, so the connection fails.
            await fail(error)
        }
    }

    private func stream(_ attachment: AttachmentReader, to wanted: GetAttachment) async throws {
        var attachment = attachment
        let number = wanted.number
        guard try connection.begin(reply: .reply(to: number, isCompressed: wanted.compress)) else { return }
        while !isEnded {
            toSend.notifyAll()
            guard connection.repliesNeedingData.contains(number) else {
                await sent.wait()
                continue
            }
            guard let bytes = try await attachment.next() else { break }
            connection.append(bytes, toReply: number)
        }
        connection.finishReply(number)
        toSend.notifyAll()
    }
}

/// Decides whether an attachment is compressed in transit, by Sync Gateway's rule (docs/protocol/modern-2x.md#compression-hint).
enum CompressionHint {
    private static let packedExtensions: Set<String> = [
        "zip", "gz", "tgz", "rar", "7z", "jpg", "jpeg", "png", "gif", "svgz", "mp3", "m4a", "ogg", "wav", "aiff", "mp4", "mov", "avi",
        "theora",
    ]

    static func isWorthwhile(_ entry: AttachmentMetadata) -> Bool {
        guard entry.encoding == nil else { return false }
        let name = entry.name.lowercased()
        if let dot = name.lastIndex(of: "."), packedExtensions.contains(String(name[name.index(after: dot)...])) { return false }
        guard let type = entry.contentType?.lowercased() else { return true }
        let words = type.split { !$0.isLetter && !$0.isNumber }
        if words.contains("zip") || words.contains("gzip") { return false }
        let isMedia = ["image/", "audio/", "video/"].contains { type.hasPrefix($0) }
        return !isMedia || words.contains { ["text", "xml", "html", "json", "yaml"].contains($0) }
    }
}
