import Documents
import Foundation
import NIOCore

/// What the path by users and channels is measured with: the same every time.
///
/// Documents are spread evenly over the channels, one each; each user has channels that follow one another.
struct AccessRows: Sendable {
    /// A user, and how many channels it has.
    struct User: Sendable {
        let name: String
        let channels: [String]
    }

    let documents: Int
    let channels: Int
    let users: [User]

    /// The users whose feeds are measured: with one channel, and with twenty.
    var measured: [User] { Array(users.prefix(2)) }

    init(documents: Int, users: Int, channels: Int) {
        self.documents = documents
        self.channels = channels
        self.users = (0..<max(users, 2)).map { number in
            let count = min(channels, number == 0 ? 1 : 20)
            return User(name: "user\(number)", channels: (0..<count).map { "c\((number &* 37 &+ $0) % channels)" })
        }
    }

    /// How many documents a user gets.
    func documents(of user: User) -> Int {
        (0..<documents).reduce(0) { $0 + (user.channels.contains(channel($1)) ? 1 : 0) }
    }

    /// Bodies of `_bulk_docs`.
    func batches(_ size: Int) -> [ByteBuffer] {
        stride(from: 0, to: documents, by: size).map { start in
            let documents = (start..<min(start + size, documents)).map { number in
                let note = "\(number)".padding(toLength: 200, withPad: "0123456789 abcdef ", startingAt: 0)
                return "{\"_id\":\"doc-\(number)\",\"channels\":[\"\(channel(number))\"],\"note\":\"\(note)\"}"
            }
            return ByteBuffer(string: "{\"docs\":[\(documents.joined(separator: ","))]}")
        }
    }

    private func channel(_ number: Int) -> String { "c\(number % channels)" }
}
