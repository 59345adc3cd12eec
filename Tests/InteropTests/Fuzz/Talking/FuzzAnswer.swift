/// An HTTP response.
struct FuzzAnswer: Sendable {
    let status: Int
    let head: String
    var body: [UInt8] = []

    /// Whether its body is complete.
    var isWhole = true

    /// Whether the connection ends with it.
    var closes = false

    subscript(name: String) -> String? { RawAnswer.header(name, of: head) }

    var text: String { "\(head)\(String(decoding: body.prefix(2_000), as: UTF8.self))" }
}

/// Reads responses from a connection, with strict checks.
struct FuzzAnswerReader {
    enum Reading {
        case answer(FuzzAnswer)
        /// The connection ended before another response began.
        case end
        /// No data arrived in time.
        case silence
        /// The data is not a response.
        case broken(String)
    }

    /// The maximal length: no response has a reason to be longer.
    private static let longest = 64 << 20

    private let socket: FuzzSocket
    private var unread: [UInt8] = []
    private var hasEnded = false

    init(_ socket: FuzzSocket) {
        self.socket = socket
    }

    /// Reads more bytes; `false` if none arrive in time.
    private mutating func fill(_ milliseconds: Int) -> Bool {
        switch socket.receive(milliseconds: milliseconds) {
        case .bytes(let bytes):
            unread += bytes
            return true
        case .end:
            hasEnded = true
            return false
        case .nothing: return false
        }
    }

    /// - Parameters:
    ///   - isToHead: Whether there is no body, for any head.
    ///   - isExpected: Whether the response has to arrive; otherwise only data that arrives within moments is read.
    mutating func next(isToHead: Bool, isExpected: Bool, timeout: Int = FuzzSettings.timeout * 1_000) -> Reading {
        let milliseconds = isExpected ? timeout : 20
        var end: Int?
        while end == nil {
            end = unread.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound
            if end == nil {
                guard unread.count < 1 << 20 else { return .broken("a head of more than a megabyte") }
                guard fill(milliseconds) else { break }
            }
        }
        guard let end else {
            if !hasEnded { return .silence }
            return unread.isEmpty
                ? .end : .broken("the connection ended within a head: \(String(decoding: unread.prefix(500), as: UTF8.self))")
        }
        let head = String(decoding: unread[..<end], as: UTF8.self)
        unread.removeFirst(end)
        guard let status = Self.status(of: head) else { return .broken("this is no head of an answer: \(head.prefix(500))") }
        // 100 Continue only.
        if status == 100 { return next(isToHead: isToHead, isExpected: isExpected, timeout: timeout) }
        return body(of: FuzzAnswer(status: status, head: head), isToHead: isToHead, milliseconds)
    }

    /// The status of a well-formed head.
    private static func status(of head: String) -> Int? {
        let lines = head.utf8.dropLast(4).split(separator: 0x0a, omittingEmptySubsequences: false)
        guard let first = lines.first, first.starts(with: "HTTP/1.1 ".utf8) else { return nil }
        let digits = first.dropFirst(9).prefix(3)
        guard digits.count == 3, let status = Int(String(decoding: digits, as: UTF8.self)), 100..<600 ~= status else { return nil }
        for line in lines.dropFirst() {
            let line = line.last == 0x0d ? line.dropLast() : line
            guard let colon = line.firstIndex(of: 0x3a), colon > line.startIndex,
                !line[..<colon].contains(where: { $0 <= 0x20 || $0 >= 0x7f }),
                !line.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7f })
            else { return nil }
        }
        return status
    }

    private mutating func body(of head: FuzzAnswer, isToHead: Bool, _ milliseconds: Int) -> Reading {
        var answer = head
        answer.closes = answer["Connection"]?.lowercased() == "close"
        let (length, coding) = (answer["Content-Length"], answer["Transfer-Encoding"])
        if length != nil, coding != nil { return .broken("a length and chunks: \(answer.head)") }
        if isToHead || answer.status < 200 || answer.status == 204 || answer.status == 304 { return .answer(answer) }
        if coding?.lowercased() == "chunked" { return chunks(of: answer, milliseconds) }
        if let coding { return .broken("the unknown coding \(coding)") }
        guard let length else {
            guard answer.closes else { return .broken("no length: \(answer.head)") }
            while unread.count < Self.longest, fill(milliseconds) {}
            answer.body = unread
            answer.isWhole = hasEnded
            unread = []
            return .answer(answer)
        }
        guard let count = Int(length), count >= 0, count <= Self.longest else { return .broken("the length \(length)") }
        answer.isWhole = take(count, of: &answer, milliseconds)
        return answer.isWhole || hasEnded || milliseconds < 1_000 ? .answer(answer) : .silence
    }

    private mutating func chunks(of head: FuzzAnswer, _ milliseconds: Int) -> Reading {
        var answer = head
        while true {
            var end: Int?
            while end == nil {
                end = unread.firstRange(of: [0x0d, 0x0a])?.upperBound
                if end == nil, !fill(milliseconds) { break }
            }
            guard let end else {
                answer.isWhole = false
                return hasEnded || milliseconds < 1_000 ? .answer(answer) : .silence
            }
            let line = String(decoding: unread[..<(end - 2)], as: UTF8.self)
            unread.removeFirst(end)
            guard let size = Int(line, radix: 16), size >= 0, answer.body.count + size <= Self.longest else {
                return .broken("a chunk of \(line)")
            }
            guard take(size + 2, of: &answer, milliseconds) else {
                answer.isWhole = false
                return hasEnded || milliseconds < 1_000 ? .answer(answer) : .silence
            }
            guard answer.body.suffix(2) == [0x0d, 0x0a] else { return .broken("a chunk without an end") }
            answer.body.removeLast(2)
            if size == 0 { return .answer(answer) }
        }
    }

    /// Moves a number of bytes to the body; `false` if there are fewer.
    private mutating func take(_ count: Int, of answer: inout FuzzAnswer, _ milliseconds: Int) -> Bool {
        while unread.count < count, fill(milliseconds) {}
        let taken = min(count, unread.count)
        answer.body += unread[..<taken]
        unread.removeFirst(taken)
        return taken == count
    }

    /// The following bytes, unparsed: for another protocol.
    mutating func rest() -> [UInt8] {
        defer { unread = [] }
        return unread
    }
}
