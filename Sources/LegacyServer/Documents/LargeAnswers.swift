import Coordination
import Documents
import HTTP
import LegacyProtocol

/// Large documents that are being sent. Clients that read the same one at a time share its bytes, so that slow clients do not each hold a copy.
final class LargeAnswers: Sendable {
    private struct Key: Hashable {
        let id: ExactString
        let count: Int
    }

    private struct Entry {
        weak var bytes: SharedBytes?
    }

    /// The smallest shared response, in bytes.
    private static let smallest = 256 << 10

    private let entries = Lock<[Key: Entry]>([:])

    /// The same body, whose bytes are those of an earlier equal response if that is still being sent.
    ///
    /// - Parameters:
    ///   - id: The ID of the document.
    ///   - account: Counts the bytes, once for all responses.
    /// - Throws: ``LegacyError`` `unavailable` if other data use the memory.
    func share(_ body: SegmentedBody, of id: String, _ account: MemoryAccount) throws -> SegmentedBody {
        guard body.segments.isEmpty, body.pending.count >= Self.smallest else { return body }
        var shared = SegmentedBody()
        shared.append(try bytes(body.pending, of: id, account))
        return shared
    }

    private func bytes(_ bytes: [UInt8], of id: String, _ account: MemoryAccount) throws -> SharedBytes {
        let key = Key(id: ExactString(id), count: bytes.count)
        if let known = entries.withLock({ $0[key]?.bytes }), known.bytes == bytes { return known }
        let memory = account.share()
        guard memory.resize(to: bytes.count) else {
            throw LegacyError(.unavailable, "The memory for clients' requests is used up; try again later")
        }
        let new = SharedBytes(bytes, holding: memory)
        entries.withLock { entries in
            entries = entries.filter { $0.value.bytes != nil }
            entries[key] = Entry(bytes: new)
        }
        return new
    }
}
