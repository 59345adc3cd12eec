package import Foundation
package import LegacyFiles

extension LegacyDatabaseFile {
    /// Creates a file of small pages, so that few documents need many.
    package init(_ file: String, schema: String = LegacyDatabaseFile.schema) throws {
        try self.init(file, schema: schema, settings: "PRAGMA page_size = 1024")
    }

    /// Adds documents `d1`, `d2` and so on, each of two revisions of which one is a leaf.
    package func fill(_ range: ClosedRange<Int>, padding: Int = 100) throws {
        try add(
            range.map { number in
                let json = Data("{\"n\":\(number),\"padding\":\"\(String(repeating: "x", count: padding))\"}".utf8)
                return (id: Data("d\(number)".utf8), branch: [Revision("1-aa", json: nil), Revision("2-bb", json: json)])
            })
    }

    /// Adds a document of one revision.
    package func add(_ id: Data, revision: String = "1-aa", json: Data?, isDeleted: Bool = false) throws {
        try add([(id: id, branch: [Revision(revision, json: json, isDeleted: isDeleted)])])
    }

    package func add(_ id: String, revision: String = "1-aa", json: String?, isDeleted: Bool = false) throws {
        try add(Data(id.utf8), revision: revision, json: json.map { Data($0.utf8) }, isDeleted: isDeleted)
    }
}
