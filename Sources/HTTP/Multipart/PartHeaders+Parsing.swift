extension PartHeaders {
    /// Headers that decide how a part is read: two of one kind would let two readers read it differently.
    private static let singular = ["content-type", "content-disposition", "content-encoding", "content-length", "content-id"]

    /// Reads a part's headers, each line with its CRLF, without the blank line.
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
