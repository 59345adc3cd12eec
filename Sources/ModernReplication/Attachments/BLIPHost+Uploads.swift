import BLIP
import Documents
import Gateway
import Storage

extension BLIPHost {
    /// Sends an attachment as the reply to a request, part by part as the peer takes it.
    func upload(_ wanted: GetAttachment, _ keyspace: Keyspace) async {
        await uploads.enter()
        defer { uploads.leave() }
        let attachment: AttachmentReader
        do {
            attachment = try await wanted.reader(in: keyspace)
        } catch {
            return refuse(wanted.number, error)
        }
        do {
            try await stream(attachment, to: wanted)
        } catch {
            // A reply that has begun has no other way to say that it cannot go on.
            await fail(error)
        }
    }

    private func stream(_ attachment: AttachmentReader, to wanted: GetAttachment) async throws {
        var attachment = attachment
        let number = wanted.number
        guard try connection.begin(reply: .reply(to: number, isCompressed: wanted.compress)) else { return }
        while !isEnded {
            toSend.open()
            guard connection.hungryReplies.contains(number) else {
                await sent.wait()
                continue
            }
            guard let bytes = try await attachment.next() else { break }
            connection.append(bytes, toReply: number)
        }
        connection.finishReply(number)
        toSend.open()
    }
}
