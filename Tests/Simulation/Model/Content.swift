import Documents

/// The content of a revision. Equal numbers give equal contents, so that two clients can make the same change.
struct Content: Hashable, Sendable, CustomStringConvertible {
    /// The number that distinguishes it from others; `nil` in a tombstone.
    let number: Int?

    /// The property of the routes.
    let type: String?

    /// The attachment `photo`, by its received bytes.
    let photo: AttachmentDigest?

    static let tombstone = Content(number: nil, type: nil, photo: nil)

    var isDeleted: Bool { number == nil }

    /// The bytes of the attachment of the content with a number.
    static func photo(of number: Int) -> [UInt8] {
        Array(repeating: Array("photo \(number) ".utf8), count: 8 + number % 40).flatMap { $0 }
    }

    /// The channel of the content; a tombstone has none.
    var channel: String? {
        number.map { Self.channels[$0 % Self.channels.count] }
    }

    static let channels = ["blue", "green", "red"]

    /// Half of the bodies are long enough for deltas.
    private var text: String {
        guard let number, number.isMultiple(of: 2) else { return "" }
        return ",\"text\":\"\(Self.prose)\""
    }

    private static let prose = String(repeating: "as long as a letter that says little ", count: 7)

    /// The start time of simulations, in seconds since 1970: long after every real clock.
    static let beginning = 3_000_000_000

    /// The document's expiry, in seconds since 1970, as its writer sets it: for one in eight.
    var expiry: Int? {
        number.flatMap { $0 % 8 == 5 ? Self.beginning + $0 % 100 * 3_600 : nil }
    }

    /// The members for a server in wire form: also those that it removes from the body.
    var members: String {
        let own = String(decoding: properties.dropFirst().dropLast(), as: UTF8.self)
        return expiry.map { "\(own),\"_exp\":\($0)" } ?? own
    }

    /// The user's members as a JSON object.
    var properties: [UInt8] {
        guard let number else { return Array("{}".utf8) }
        let kind = type.map { ",\"type\":\"\($0)\"" } ?? ""
        let channels = channel.map { ",\"channels\":[\"\($0)\"]" } ?? ""
        return Array("{\"n\":\(number)\(kind)\(channels)\(photo == nil ? "" : ",\"hasPhoto\":true")\(text)}".utf8)
    }

    var description: String {
        number.map { "\($0)\(type.map { " \($0)" } ?? "")\(photo == nil ? "" : " with a photo")" } ?? "deleted"
    }
}

extension Content {
    /// Reads a document as a server sends it.
    /// - Parameter photo: The bytes with the digest that the document names.
    /// - Parameter photo: what stands at the digest that the document names.
    init(_ json: JSONValue, isDeleted: Bool, photo: AttachmentDigest?) {
        self.init(number: isDeleted ? nil : json["n"]?.int ?? -1, type: json["type"]?.string, photo: photo)
    }
}
