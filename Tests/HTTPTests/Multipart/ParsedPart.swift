import HTTP

/// A part, collected from a parser's events.
struct ParsedPart: Equatable {
    var headers: PartHeaders
    var body: [UInt8] = []

    var text: String { String(decoding: body, as: UTF8.self) }

    /// Collects the parts of a body in these pieces, and checks the order of events.
    static func parse(
        _ pieces: [ArraySlice<UInt8>], boundary: String, limits: MultipartLimits = MultipartLimits()
    ) throws -> [ParsedPart] {
        var parser = MultipartParser(boundary: try MultipartBoundary(boundary), limits: limits)
        var parts: [ParsedPart] = []
        var isInPart = false
        var isFinished = false
        for piece in pieces {
            for event in try parser.consume(piece) {
                guard !isFinished else { throw EventOrderError() }
                switch event {
                case .partBegan(let headers):
                    guard !isInPart else { throw EventOrderError() }
                    isInPart = true
                    parts.append(ParsedPart(headers: headers))
                case .partBody(let bytes):
                    guard isInPart, !bytes.isEmpty else { throw EventOrderError() }
                    parts[parts.count - 1].body += bytes
                case .partEnded:
                    guard isInPart else { throw EventOrderError() }
                    isInPart = false
                case .finished:
                    guard !isInPart else { throw EventOrderError() }
                    isFinished = true
                }
            }
        }
        try parser.finish()
        return parts
    }

    static func parse(_ text: String, boundary: String = "b", limits: MultipartLimits = MultipartLimits()) throws -> [ParsedPart] {
        try parse([Array(text.utf8)[...]], boundary: boundary, limits: limits)
    }

    struct EventOrderError: Error {}
}
