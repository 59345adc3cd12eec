import Foundation
import Storage

/// The changes of a commit in a notification for other processes, as JSON.
struct CommitNotice: Codable {
    private struct Channel: Codable {
        let name: String
        let collection: Int64
    }

    private struct Access: Codable {
        let kind: Int64
        let name: String
    }

    /// The writer's UUID, in hexadecimal digits.
    let writer: String

    /// The number of the commit: one more than that of the commit before it.
    let number: Int64
    private let sequence: Int64

    /// The details. `nil` if they are too long for a notification: the commit may concern every follower then.
    private var unified: Bool?
    private var collections: [Int64]?
    private var access: [Access]?
    private var channels: [Channel]?

    /// PostgreSQL refuses payloads of 8,000 bytes and more.
    private static let longest = 7_900

    init(of commit: Commit, number: Int64, by writer: [UInt8]) {
        self.writer = Self.name(of: writer)
        self.number = number
        sequence = commit.sequence.value
        unified = commit.touchesUnified
        collections = commit.collections.map(\.value)
        channels = commit.channels?.map { Channel(name: $0.channel, collection: $0.collection.value) }
        if case .of(let grantees) = commit.access { access = grantees.map { Access(kind: $0.kind.rawValue, name: $0.name) } }
    }

    /// - Returns: `nil` for a text that is no notice.
    init?(payload: String) {
        guard let notice = try? JSONDecoder().decode(CommitNotice.self, from: Data(payload.utf8)) else { return nil }
        self = notice
    }

    /// The text of the notification.
    var payload: String {
        if let whole = encoded, whole.utf8.count <= Self.longest { return whole }
        var short = self
        (short.unified, short.collections, short.channels, short.access) = (nil, nil, nil, nil)
        return short.encoded ?? ""
    }

    private var encoded: String? { (try? JSONEncoder().encode(self)).map { String(decoding: $0, as: UTF8.self) } }

    /// The commit; `nil` if the notice lacks the details.
    var commit: Commit? {
        guard let unified, let collections else { return nil }
        let grantees = access?.compactMap { access in PrincipalKind(rawValue: access.kind).map { Grantee($0, access.name) } }
        return Commit(
            sequence: SequenceNumber(sequence), touchesUnified: unified, collections: Set(collections.map { CollectionKey($0) }),
            access: grantees.map { .of(Set($0)) } ?? .everyone,
            channels: channels.map { Set($0.map { ChannelPlace($0.name, in: CollectionKey($0.collection)) }) })
    }

    /// A writer's UUID as a notice has it.
    static func name(of writer: [UInt8]) -> String {
        writer.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
