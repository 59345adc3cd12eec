import Documents

/// What a revision says. Equal numbers make equal contents, so that two clients can make one and the same change.
struct Content: Hashable, Sendable, CustomStringConvertible {
    /// What distinguishes it from others; nothing in a tombstone.
    let number: Int?

    /// What routes go by.
    let type: String?

    /// The attachment `photo`, by the bytes that are at hand.
    let photo: AttachmentDigest?

    static let tombstone = Content(number: nil, type: nil, photo: nil)

    var isDeleted: Bool { number == nil }

    /// The bytes of the attachment of the content with a number.
    static func photo(of number: Int) -> [UInt8] {
        Array(repeating: Array("photo \(number) ".utf8), count: 8 + number % 40).flatMap { $0 }
    }

    /// The user's members as a JSON object.
    var properties: [UInt8] {
        guard let number else { return Array("{}".utf8) }
        let kind = type.map { ",\"type\":\"\($0)\"" } ?? ""
        return Array("{\"n\":\(number)\(kind)\(photo == nil ? "" : ",\"hasPhoto\":true")}".utf8)
    }

    var description: String {
        number.map { "\($0)\(type.map { " \($0)" } ?? "")\(photo == nil ? "" : " with a photo")" } ?? "deleted"
    }
}

extension Content {
    /// Reads a document as a server sends it.
    ///
    /// - Parameter photo: what stands at the digest that the document names.
    init(_ json: JSONValue, isDeleted: Bool, photo: AttachmentDigest?) {
        self.init(number: isDeleted ? nil : json["n"]?.int ?? -1, type: json["type"]?.string, photo: photo)
    }
}
