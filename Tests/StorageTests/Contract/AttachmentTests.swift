import Documents
import TestSupport
import Testing

@testable import SQLiteStorage
@testable import Storage

@Suite("Attachments in a store")
struct AttachmentTests {
    private let size = AttachmentRecord.partSize

    private func bytes(_ count: Int) -> [UInt8] {
        var generator = SeededGenerator(seed: UInt64(count))
        return (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
    }

    @Test(
        "Bytes are read whole and in ranges, at all sizes around that of a part", arguments: StorageEngine.all,
        [0, 1, -1, 0x20000, 0x20001, 0x40000, 300_001])
    func ranges(_ engine: StorageEngine, count: Int) async throws {
        let count = count < 0 ? size - 1 : count
        let bytes = bytes(count)
        try await withStore(engine) { store in
            let attachment = try await store.write { try $0.insertAttachment(bytes, digest: .sha1(of: bytes)) }
            #expect(attachment.length == Int64(count))
            try await store.read { [size] snapshot throws in
                #expect(try snapshot.attachment(.sha1(of: bytes)) == attachment)
                #expect(try snapshot.attachmentBytes(attachment, offset: 0, count: .max) == bytes)
                for offset in [0, 1, size - 1, size, size + 1, count - 1, count, count + 1] where offset >= 0 {
                    for length in [0, 1, 2, size, size + 1] {
                        let expected = offset < count ? Array(bytes[offset..<min(count, offset + length)]) : []
                        #expect(try snapshot.attachmentBytes(attachment, offset: Int64(offset), count: length) == expected)
                    }
                }
            }
            try await store.expectSound()
        }
    }

    @Test("An attachment that arrives in parts is stored when it is finished", arguments: StorageEngine.all)
    func parts(_ engine: StorageEngine) async throws {
        let bytes = bytes(size * 2 + 5)
        let digest = AttachmentDigest.sha1(of: bytes)
        try await withStore(engine) { [size] store in
            let key = try await store.write { try $0.beginAttachment() }
            for part in 0..<3 {
                try await store.write { transaction in
                    let end = min(bytes.count, (part + 1) * size)
                    try transaction.appendAttachment(key, part: part, Array(bytes[part * size..<end]))
                }
            }
            #expect(try await store.read { try $0.attachment(digest) } == nil)
            try await store.expectSound()
            await expectError(.invalidArgument) { try await store.write { _ = try $0.finishAttachment(key, digest: digest, length: 7) } }
            let attachment = try await store.write { try $0.finishAttachment(key, digest: digest, length: Int64(bytes.count)) }
            #expect(try await store.read { try $0.attachmentBytes(attachment, offset: 0, count: .max) } == bytes)
            await expectError(.conflict) { try await store.write { try $0.abandonAttachment(key) } }
        }
    }

    @Test("Missing, short and oversized parts are refused", arguments: StorageEngine.all)
    func badParts(_ engine: StorageEngine) async throws {
        try await withStore(engine) { [size] store in
            let key = try await store.write { try $0.beginAttachment() }
            await expectError(.invalidArgument) { try await store.write { try $0.appendAttachment(key, part: -1, [1]) } }
            await expectError(.invalidArgument) { try await store.write { try $0.appendAttachment(key, part: 1 << 20, [1]) } }
            await expectError(.invalidArgument) { try await store.write { try $0.appendAttachment(key, part: 0, []) } }
            await expectError(.invalidArgument) {
                try await store.write { try $0.appendAttachment(key, part: 0, [UInt8](repeating: 0, count: size + 1)) }
            }
            try await store.write { transaction in
                try transaction.appendAttachment(key, part: 0, [1])
                try transaction.appendAttachment(key, part: 1, [2])
            }
            await expectError(.invalidArgument) {
                try await store.write { _ = try $0.finishAttachment(key, digest: .sha1(of: [1, 2]), length: 2) }
            }
            try await store.write { try $0.abandonAttachment(key) }
            try await store.expectSound()
        }
    }

    @Test("The same bytes are stored once", arguments: StorageEngine.all)
    func duplicates(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store in
            let digest = AttachmentDigest.sha1(of: [1, 2, 3])
            let first = try await store.write { try $0.insertAttachment([1, 2, 3], digest: digest) }
            let second = try await store.write { transaction in
                let key = try transaction.beginAttachment()
                try transaction.appendAttachment(key, part: 0, [1, 2, 3])
                return try transaction.finishAttachment(key, digest: digest, length: 3)
            }
            let third = try await store.write { try $0.insertAttachment([1, 2, 3], digest: digest) }
            #expect(first == second)
            #expect(first == third)
            try await store.expectSound()
        }
    }

    @Test("An attachment is found by its second digest too, and is named by SHA-1", arguments: StorageEngine.all)
    func aliases(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store in
            let digest = AttachmentDigest.sha1(of: [1, 2, 3])
            let alias = AttachmentDigest.md5(of: [1, 2, 3])
            let attachment = try await store.write { transaction in
                let attachment = try transaction.insertAttachment([1, 2, 3], digest: digest)
                try transaction.addAlias(alias, for: attachment)
                try transaction.addAlias(alias, for: attachment)
                return attachment
            }
            #expect(try await store.read { try $0.attachment(alias) } == attachment)
            await expectError(.invalidArgument) { try await store.write { _ = try $0.insertAttachment([4], digest: .md5(of: [4])) } }
        }
    }

    @Test("Unused attachments are removed when they are old enough, a limited number at a time", arguments: StorageEngine.all)
    func collecting(_ engine: StorageEngine) async throws {
        try await withStore(engine) { store in
            let document = try await store.write { try $0.add("a") }
            let attachments = try await store.write { transaction in
                try (0..<10).map { try transaction.insertAttachment([UInt8($0)], digest: .sha1(of: [UInt8($0)])) }
            }
            try await store.write { transaction in
                try transaction.addAlias(.md5(of: [9]), for: attachments[9])
                try transaction.setAttachments(Set(attachments[0..<5].map(\.key)), usedBy: document)
            }
            #expect(try await store.write { try $0.collectAttachments(olderThan: 60_000, limit: 100) } == 0)
            #expect(try await store.write { try $0.collectAttachments(olderThan: 0, limit: 3) } == 3)
            #expect(try await store.write { try $0.collectAttachments(olderThan: 0, limit: 100) } == 2)
            #expect(try await store.read { try $0.attachment(.md5(of: [9])) } == nil)
            try await store.write { try $0.setAttachments([attachments[0].key, attachments[1].key], usedBy: document) }
            #expect(try await store.read { try $0.uses(document, attachments[1]) })
            #expect(try await !store.read { try $0.uses(document, attachments[2]) })
            #expect(try await store.write { try $0.collectAttachments(olderThan: 0, limit: 100) } == 3)
            await expectError(.conflict) { try await store.write { try $0.setAttachments([attachments[4].key], usedBy: document) } }
            try await store.expectSound()
        }
    }
}
