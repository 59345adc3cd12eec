/// An incremental parser of multipart bodies (RFC 2046, 5.1). It buffers only headers.
///
/// - Lines end with CRLF; a bare LF is content. So no content of an attachment can be taken for a delimiter that another reader does not see.
/// - The first delimiter may be at the body's start (Java, .NET, CouchDB) or after CRLF (iOS).
/// - The body may end at `--boundary--` or continue.
/// - The body of a nested multipart part is parsed by a second parser.
///
/// After an error the parser stays failed: it throws the same error again.
package struct MultipartParser: Sendable {
    private enum State {
        /// Before the first delimiter, or in a part's body; `matched` bytes of a delimiter have matched.
        case content(matched: Int)
        /// After a delimiter. The bytes in `tail` and the following ones determine its kind.
        case delimiter
        case headers
        case epilogue(count: Int)
        case failed(MultipartError)
    }

    /// The maximum number of blanks between a boundary and the end of its line.
    private static let maximumPadding = 64

    private let search: DelimiterSearch
    private let limits: MultipartLimits
    private var state: State
    /// How many of the matched bytes are not part of the input: the CRLF that a delimiter shares with the preceding line.
    private var implied = 2
    private var tail: [UInt8] = []
    private var headerBytes: [UInt8] = []
    private var partCount = 0
    private var preambleCount = 0

    /// Creates a parser for one body.
    package init(boundary: MultipartBoundary, limits: MultipartLimits = MultipartLimits()) {
        search = DelimiterSearch(boundary)
        self.limits = limits
        state = .content(matched: 2)
    }

    /// Whether the closing delimiter has been read.
    package var isFinished: Bool {
        if case .epilogue = state { true } else { false }
    }

    /// Parses the next bytes of the body, and returns the resulting events.
    ///
    /// - Throws: The error in the body; the events of these bytes are then lost.
    package mutating func consume(_ bytes: ArraySlice<UInt8>) throws(MultipartError) -> [MultipartEvent] {
        var events: [MultipartEvent] = []
        do throws(MultipartError) {
            var rest = bytes
            while !rest.isEmpty { try step(&rest, &events) }
        } catch {
            state = .failed(error)
            throw error
        }
        return events
    }

    /// Parses the next bytes of the body, and returns the resulting events.
    package mutating func consume(_ bytes: [UInt8]) throws(MultipartError) -> [MultipartEvent] {
        try consume(bytes[...])
    }

    /// Ends the body.
    ///
    /// - Throws: `truncated` if the closing delimiter is missing.
    package mutating func finish() throws(MultipartError) {
        switch state {
        case .epilogue: return
        case .failed(let error): throw error
        case .content, .delimiter, .headers:
            let place = partCount == 0 ? "before its first part" : "in or after part \(partCount)"
            let error = MultipartError(
                .truncated, "The multipart body ended \(place), without its closing delimiter: send it again.")
            state = .failed(error)
            throw error
        }
    }

    private mutating func step(_ rest: inout ArraySlice<UInt8>, _ events: inout [MultipartEvent]) throws(MultipartError) {
        switch state {
        case .content(0): try findDelimiter(&rest, &events)
        case .content(let matched): try continueDelimiter(matched, &rest, &events)
        case .delimiter: try finishDelimiter(&rest, &events)
        case .headers: try collectHeaders(&rest, &events)
        case .epilogue(let count):
            guard count + rest.count <= limits.epilogueBytes else {
                throw MultipartError(
                    .epilogueTooLarge, "More than \(limits.epilogueBytes) bytes follow the closing delimiter of the multipart body.")
            }
            state = .epilogue(count: count + rest.count)
            rest = []
        case .failed(let error): throw error
        }
    }

    private mutating func findDelimiter(_ rest: inout ArraySlice<UInt8>, _ events: inout [MultipartEvent]) throws(MultipartError) {
        let (start, length) = search.firstMatch(in: rest)
        try emit(rest[..<start], &events)
        rest = rest[(start + length)...]
        implied = 0
        state = length == search.delimiter.count ? .delimiter : .content(matched: length)
    }

    private mutating func continueDelimiter(
        _ matched: Int, _ rest: inout ArraySlice<UInt8>, _ events: inout [MultipartEvent]
    ) throws(MultipartError) {
        let expected = search.delimiter[matched...]
        let length = zip(rest, expected).prefix { $0 == $1 }.count
        rest = rest.dropFirst(length)
        if length == expected.count {
            state = .delimiter
        } else if rest.isEmpty {
            state = .content(matched: matched + length)
        } else {
            try emit(search.delimiter[implied..<(matched + length)], &events)
            state = .content(matched: 0)
        }
    }

    /// Completes a delimiter, which is valid if followed by `--`, or by optional blanks and CRLF. Otherwise the boundary is only a prefix of
    /// the text, as in the boundary of an inner body, and the matched bytes are content.
    private mutating func finishDelimiter(_ rest: inout ArraySlice<UInt8>, _ events: inout [MultipartEvent]) throws(MultipartError) {
        guard let byte = rest.first else { return }
        switch (tail.last, byte) {
        case (ASCII.hyphen, ASCII.hyphen):
            rest.removeFirst()
            endPart(&events)
            events.append(.finished)
            state = .epilogue(count: 0)
        case (ASCII.carriageReturn, ASCII.lineFeed):
            rest.removeFirst()
            endPart(&events)
            try beginPart()
        case _ where continuesTail(byte):
            rest.removeFirst()
            tail.append(byte)
        default:
            let isCut = tail.last == ASCII.carriageReturn
            try emit(search.delimiter[implied...], &events)
            try emit(isCut ? tail.dropLast() : tail[...], &events)
            tail.removeAll(keepingCapacity: true)
            implied = 0
            state = .content(matched: isCut ? 1 : 0)
        }
    }

    /// Whether the byte can follow here: a hyphen directly, or blanks and then CR.
    private func continuesTail(_ byte: UInt8) -> Bool {
        switch byte {
        case ASCII.hyphen: tail.isEmpty
        case ASCII.space, ASCII.tab, ASCII.carriageReturn: tail.count < Self.maximumPadding && tail.allSatisfy(ASCII.isBlank)
        default: false
        }
    }

    private func endPart(_ events: inout [MultipartEvent]) {
        if partCount > 0 { events.append(.partEnded) }
    }

    private mutating func beginPart() throws(MultipartError) {
        guard partCount < limits.parts else {
            throw MultipartError(.tooManyParts, "The multipart body has more than \(limits.parts) parts: send it in several requests.")
        }
        partCount += 1
        tail.removeAll(keepingCapacity: true)
        headerBytes.removeAll(keepingCapacity: true)
        state = .headers
    }

    private mutating func collectHeaders(_ rest: inout ArraySlice<UInt8>, _ events: inout [MultipartEvent]) throws(MultipartError) {
        let end = rest.firstIndex(of: ASCII.lineFeed).map { $0 + 1 } ?? rest.endIndex
        guard headerBytes.count + end - rest.startIndex <= limits.headerBytesPerPart else {
            throw MultipartError(
                .headerTooLarge, "The headers of part \(partCount) of the multipart body have more than \(limits.headerBytesPerPart) bytes."
            )
        }
        headerBytes += rest[..<end]
        rest = rest[end...]
        guard headerBytes.suffix(2).elementsEqual([ASCII.carriageReturn, ASCII.lineFeed]),
            headerBytes.count == 2 || headerBytes.dropLast(2).last == ASCII.lineFeed
        else { return }
        let headers = try PartHeaders(parsing: headerBytes.dropLast(2), part: partCount, limit: limits.headersPerPart)
        events.append(.partBegan(headers))
        implied = 2
        state = .content(matched: 2)
    }

    private mutating func emit(_ bytes: ArraySlice<UInt8>, _ events: inout [MultipartEvent]) throws(MultipartError) {
        guard !bytes.isEmpty else { return }
        if partCount > 0 {
            events.append(.partBody(bytes))
            return
        }
        preambleCount += bytes.count
        guard preambleCount <= limits.preambleBytes else {
            throw MultipartError(
                .preambleTooLarge,
                "The multipart body's first \(limits.preambleBytes) bytes have no delimiter: the boundary in Content-Type must be the body's."
            )
        }
    }
}

/// An event of a multipart parser. For each part: its headers, its body in chunks, its end; then the end of the body.
package enum MultipartEvent: Sendable, Hashable {
    /// A part's headers are complete.
    case partBegan(PartHeaders)
    /// A chunk of the part's body, never empty. It shares the storage of the parsed bytes.
    case partBody(ArraySlice<UInt8>)
    /// The part's body is complete.
    case partEnded
    /// The closing delimiter has been read. This is the last event.
    case finished
}

/// Limits on the data that a multipart parser buffers or counts. The size of parts is not limited here: the caller counts the chunks.
package struct MultipartLimits: Sendable, Hashable {
    /// The text before the first delimiter, in bytes.
    package var preambleBytes: Int
    /// The data after the closing delimiter, in bytes.
    package var epilogueBytes: Int
    /// The number of parts; nested bodies are counted by their own parsers.
    package var parts: Int
    /// The number of header lines of one part.
    package var headersPerPart: Int
    /// The size of all headers of one part, in bytes.
    package var headerBytesPerPart: Int

    /// Creates limits; no known client or server exceeds the defaults.
    package init(
        preambleBytes: Int = 16_384, epilogueBytes: Int = 16_384, parts: Int = 10_000, headersPerPart: Int = 32,
        headerBytesPerPart: Int = 16_384
    ) {
        self.preambleBytes = preambleBytes
        self.epilogueBytes = epilogueBytes
        self.parts = parts
        self.headersPerPart = headersPerPart
        self.headerBytesPerPart = headerBytesPerPart
    }
}
