/// The headers of one part, in order.
///
/// Names are compared case-insensitively and written exactly as given: Couchbase Lite for iOS and Java compares part header names
/// case-sensitively.
package struct PartHeaders: Sendable, Hashable {
    /// One header.
    package struct Field: Sendable, Hashable {
        /// The name, in its original case.
        package let name: String
        /// The value without surrounding blanks.
        package let value: String
    }

    /// The headers in their order.
    package private(set) var fields: [Field] = []

    /// Creates an empty list.
    package init() {}

    /// The value of the first header with this name.
    package subscript(name: String) -> String? {
        fields.first { ASCII.equalIgnoringCase($0.name, name) }?.value
    }

    /// Adds a header. Control characters become spaces, because they could end the header and begin another one.
    package mutating func append(_ name: String, _ value: String) {
        fields.append(Field(name: Self.harmless(name), value: Self.harmless(value)))
    }

    private static func harmless(_ text: String) -> String {
        guard text.utf8.contains(where: ASCII.isControl) else { return text }
        return String(decoding: text.utf8.map { ASCII.isControl($0) ? ASCII.space : $0 }, as: UTF8.self)
    }

    /// Appends the headers in wire form, each with its CRLF, without the blank line.
    func write(to bytes: inout [UInt8]) {
        for field in fields {
            bytes += field.name.utf8
            bytes += [ASCII.colon, ASCII.space]
            bytes += field.value.utf8
            bytes += [ASCII.carriageReturn, ASCII.lineFeed]
        }
    }

    /// The number of bytes that `write(to:)` appends.
    var writtenLength: Int {
        fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
    }

    /// The part's media type; `nil` if missing or malformed.
    package var contentType: MediaType? { self["Content-Type"].flatMap { MediaType($0) } }

    /// The part's disposition; `nil` if missing or malformed.
    package var contentDisposition: ContentDisposition? { self["Content-Disposition"].flatMap { ContentDisposition($0) } }

    /// The attachment's name, from `Content-Disposition`.
    package var filename: String? { contentDisposition?.filename }

    /// The content encoding in lower case; `nil` if there is none or it is `identity`.
    package var contentEncoding: String? {
        guard let value = self["Content-Encoding"] else { return nil }
        let encoding = ASCII.lowercasedText(value.utf8)
        return encoding.isEmpty || encoding == "identity" ? nil : encoding
    }

    /// The content length in bytes; `nil` if missing or not a number.
    package var contentLength: Int64? {
        self["Content-Length"].flatMap { ASCII.saturatingDecimal(Array($0.utf8)[...]) }
    }

    /// The content ID without its angle brackets.
    package var contentID: String? {
        guard let value = self["Content-ID"] else { return nil }
        let bytes = value.utf8
        guard bytes.first == UInt8(ascii: "<"), bytes.last == UInt8(ascii: ">"), bytes.count >= 2 else { return value }
        return String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self)
    }

    /// Whether the part contains an error instead of a document: `application/json; error="true"`.
    package var isError: Bool { contentType?.parameters["error"] == "true" }

    /// Headers of a document or another JSON body. `charset` is omitted because CouchDB's replicator fails on it.
    ///
    /// - Parameter encoding: `gzip` if the part's bytes are compressed.
    package static func json(encoding: String? = nil) -> PartHeaders {
        var headers = PartHeaders()
        if let encoding { headers.append("Content-Encoding", encoding) }
        headers.append("Content-Type", "application/json")
        return headers
    }

    /// Headers of an error instead of a document.
    package static func jsonError() -> PartHeaders {
        var headers = PartHeaders()
        headers.append("Content-Type", "application/json; error=\"true\"")
        return headers
    }

    /// Headers of an attachment.
    ///
    /// - Parameter encoding: `gzip` only if the attachment's metadata has it: iOS refuses the document otherwise.
    package static func attachment(filename: String, contentType: String?, encoding: String? = nil) -> PartHeaders {
        var headers = PartHeaders()
        if let contentType { headers.append("Content-Type", contentType) }
        headers.append("Content-Disposition", ContentDisposition(filename: filename).rendered)
        if let encoding { headers.append("Content-Encoding", encoding) }
        return headers
    }
}

extension PartHeaders {
    /// Headers that determine how a part is read. Duplicates are refused because readers could interpret them differently.
    private static let singular = ["content-type", "content-disposition", "content-encoding", "content-length", "content-id"]

    /// Parses a part's headers, each line with its CRLF, without the blank line.
    ///
    /// - Throws: `malformedHeader`, `duplicateHeader`, `tooManyHeaders`.
    init(parsing bytes: ArraySlice<UInt8>, part: Int, limit: Int) throws(MultipartError) {
        var lines: [[UInt8]] = []
        var rest = bytes
        while !rest.isEmpty {
            let line = rest.prefix { $0 != ASCII.lineFeed }
            rest = rest[line.endIndex...].dropFirst()
            guard line.last == ASCII.carriageReturn else { throw Self.malformed(part, "a line that does not end with CRLF") }
            let content = line.dropLast()
            if let first = content.first, ASCII.isBlank(first), let last = lines.indices.last {
                lines[last] += [ASCII.space] + ASCII.trimmed(content)
            } else {
                lines.append(Array(content))
            }
            guard lines.count <= limit else {
                throw MultipartError(.tooManyHeaders, "Part \(part) of the multipart body has more than \(limit) headers.")
            }
        }
        for line in lines { try append(parsing: line, part: part) }
    }

    private mutating func append(parsing line: [UInt8], part: Int) throws(MultipartError) {
        guard let colon = line.firstIndex(of: ASCII.colon), colon > 0, line[..<colon].allSatisfy(ASCII.isToken) else {
            throw Self.malformed(part, "a line that is not \"Name: value\"")
        }
        let value = ASCII.trimmed(line[(colon + 1)...])
        guard !value.contains(where: { ASCII.isControl($0) && $0 != ASCII.tab }) else {
            throw Self.malformed(part, "a control character in a header")
        }
        let name = ASCII.text(line[..<colon])
        if Self.singular.contains(ASCII.lowercasedText(line[..<colon])), self[name] != nil {
            throw MultipartError(.duplicateHeader, "Part \(part) of the multipart body has two \(name) headers: send one.")
        }
        append(name, ASCII.text(value))
    }

    private static func malformed(_ part: Int, _ what: String) -> MultipartError {
        MultipartError(.malformedHeader, "Part \(part) of the multipart body has \(what).")
    }
}
