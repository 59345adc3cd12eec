import Foundation
import NIOCore
import Soak

/// The content of a database: documents in channels, users, grants by documents, deleted documents and conflicts. The same in every run for a
/// seed.
///
/// The number of documents per channel does not depend on the size, so that a user of one channel gets the same responses at each size.
struct ScalePopulation: Sendable {
    static let documentsInChannel = 100

    /// Assigns the channels in each document, and grants access by documents.
    static let syncFunction = "function (doc) { channel(doc.channels); if (doc.grants) access(doc.grants, doc.grantedChannel); }"

    /// A user whose requests are measured.
    struct Reader: Sendable {
        let name: String
        let channels: [String]
    }

    let documents: Int
    let seed: UInt64

    var channels: Int { max(1, documents / Self.documentsInChannel) }
    var users: Int { documents / 250 }

    /// Readers of one channel, of twenty, of a hundred, and of everything.
    var readers: [Reader] {
        [("one", 1), ("twenty", 20), ("hundred", 100)].map { name, count in
            Reader(name: name, channels: (0..<min(count, channels)).map { "c\($0)" })
        } + [Reader(name: "all", channels: ["*"])]
    }

    /// The channel of a document. Readers of single channels have the first ones.
    func channel(_ number: Int) -> String { "c\(number % channels)" }

    /// Request bodies of `_bulk_docs`: each document; a grant for every 50th, a deletion for every 25th, a conflict for every 100th.
    func batches(of size: Int) -> [ByteBuffer] {
        var numbers = SeededNumbers(seed)
        var batches: [ByteBuffer] = []
        var entries: [String] = []
        func flush() {
            batches.append(ByteBuffer(string: "{\"new_edits\":false,\"docs\":[\(entries.joined(separator: ","))]}"))
            entries = []
        }
        for number in 0..<documents {
            let text = numbers.hex(Int(numbers.next() % 300) + 100)
            let channels = "\"channels\":[\"\(channel(number))\"]"
            entries.append(#"{"_id":"d\#(number)","_rev":"1-a",\#(channels),"text":"\#(text)"}"#)
            if number % 50 == 0, users > 0 {
                let user = "user\(number / 50 % users)"
                entries.append(
                    #"{"_id":"g\#(number)","_rev":"1-a","channels":["grants"],"grants":"\#(user)","grantedChannel":"\#(channel(number + 1))"}"#
                )
            }
            if number % 25 == 7 {
                entries.append(#"{"_id":"t\#(number)","_rev":"2-a","_revisions":{"start":2,"ids":["a","a"]},"_deleted":true}"#)
            }
            if number % 100 == 9 { entries.append(#"{"_id":"d\#(number)","_rev":"1-b",\#(channels)}"#) }
            if entries.count >= size { flush() }
        }
        if !entries.isEmpty { flush() }
        return batches
    }
}
