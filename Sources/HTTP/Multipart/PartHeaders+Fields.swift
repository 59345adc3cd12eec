extension PartHeaders {
    /// The part's type; `nil` if there is none or it is malformed.
    public var contentType: MediaType? { self["Content-Type"].flatMap { MediaType($0) } }

    /// The part's disposition; `nil` if there is none or it is malformed.
    public var contentDisposition: ContentDisposition? { self["Content-Disposition"].flatMap { ContentDisposition($0) } }

    /// The attachment's name by `Content-Disposition`.
    public var filename: String? { contentDisposition?.filename }

    /// In lower case; `nil` for none and for `identity`.
    public var contentEncoding: String? {
        guard let value = self["Content-Encoding"] else { return nil }
        let encoding = ASCII.lowercasedText(value.utf8)
        return encoding.isEmpty || encoding == "identity" ? nil : encoding
    }

    /// In bytes; `nil` if there is none or it is no number.
    public var contentLength: Int64? {
        self["Content-Length"].flatMap { ASCII.saturatingDecimal(Array($0.utf8)[...]) }
    }

    /// Without its angle brackets.
    public var contentID: String? {
        guard let value = self["Content-ID"] else { return nil }
        let bytes = value.utf8
        guard bytes.first == UInt8(ascii: "<"), bytes.last == UInt8(ascii: ">"), bytes.count >= 2 else { return value }
        return String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self)
    }

    /// Whether the part reports an error in place of a document: `application/json; error="true"`.
    public var isError: Bool { contentType?.parameters["error"] == "true" }
}

extension PartHeaders {
    /// A document or another JSON body. Without `charset`: CouchDB's replicator fails on it.
    ///
    /// - Parameter encoding: `gzip` if the part's bytes are compressed.
    public static func json(encoding: String? = nil) -> PartHeaders {
        var headers = PartHeaders()
        if let encoding { headers.append("Content-Encoding", encoding) }
        headers.append("Content-Type", "application/json")
        return headers
    }

    /// An error in place of a document.
    public static func jsonError() -> PartHeaders {
        var headers = PartHeaders()
        headers.append("Content-Type", "application/json; error=\"true\"")
        return headers
    }

    /// An attachment's bytes.
    ///
    /// - Parameter encoding: `gzip` only if the attachment's metadata says so: iOS refuses the document otherwise.
    public static func attachment(filename: String, contentType: String?, encoding: String? = nil) -> PartHeaders {
        var headers = PartHeaders()
        if let contentType { headers.append("Content-Type", contentType) }
        headers.append("Content-Disposition", ContentDisposition(filename: filename).rendered)
        if let encoding { headers.append("Content-Encoding", encoding) }
        return headers
    }
}
