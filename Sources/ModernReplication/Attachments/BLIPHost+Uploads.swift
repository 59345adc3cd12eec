import BLIP
import Documents
import Gateway
import Storage

extension BLIPHost {
    /// How many bytes of an attachment are read from the store at a time.
    private static var partSize: Int { 128 << 10 }

    /// Sends an attachment as the reply to a request, part by part as the peer takes it.
    func upload(_ wanted: GetAttachment, _ keyspace: Keyspace) async {
        await uploads.enter()
        defer { uploads.leave() }
        let found: AttachmentRecord?
        do {
            found = try await keyspace.attachment(wanted.digest)
        } catch {
            return refuse(wanted.number, error)
        }
        guard let found else { return refuse(wanted.number, wanted.missing) }
        do {
            try await stream(found, to: wanted, keyspace)
        } catch {
            // A reply that has begun has no other way to say that it cannot go on.
            await fail(error)
        }
    }

    private func stream(_ attachment: AttachmentRecord, to wanted: GetAttachment, _ keyspace: Keyspace) async throws {
        let number = wanted.number
        guard try connection.begin(reply: .reply(to: number, isCompressed: wanted.compress)) else { return }
        var offset: Int64 = 0
        while offset < attachment.length, !isEnded {
            toSend.open()
            guard connection.hungryReplies.contains(number) else {
                await sent.wait()
                continue
            }
            let bytes = try await keyspace.bytes(of: attachment, from: offset, count: Self.partSize)
            guard !bytes.isEmpty else { throw AttachmentProof.cutShort(attachment) }
            connection.append(bytes, toReply: number)
            offset += Int64(bytes.count)
        }
        connection.finishReply(number)
        toSend.open()
    }
}
