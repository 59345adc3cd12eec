/// Layout of a dump.
struct DumpLayout: Equatable {
    enum Form: Equatable {
        /// One value per line: a document, a row, or an array of documents (couchbackup).
        case lines
        /// The rows of a response, one per line, up to the line that closes the array.
        case rows
        /// The elements of one array, regardless of lines.
        case elements
    }

    let form: Form

    /// Position of the first value in bytes of the content.
    let start: Int

    /// Whether rows are expected, rather than documents.
    let hasRows: Bool

    private static let envelopeKeys: Set<String> = [
        "total_rows", "offset", "update_seq", "last_seq", "pending", "rows", "results", "docs", "new_edits",
    ]

    /// Detects the layout from the first bytes of the content; `nil` if they are not JSON.
    init?(_ head: [UInt8]) {
        var place = head.starts(with: [0xef, 0xbb, 0xbf]) ? 3 : 0
        place = Self.skip(head, place)
        guard place < head.count else {
            self.init(form: .lines, start: place, hasRows: false)
            return
        }
        if head[place] == 0x5b {
            let line = head[place...].prefix { $0 != 0x0a }
            let isClosed = line.last { $0 > 0x20 && $0 != 0x2c } == 0x5d
            let isOneLine = isClosed || place + line.count == head.count
            self = isOneLine ? Self(form: .lines, start: place, hasRows: false) : Self.array(head, place + 1, hasRows: false)
        } else if head[place] == 0x7b {
            if let (key, start) = Self.envelope(head, place) {
                self = Self.array(head, start, hasRows: key != "docs")
            } else {
                self.init(form: .lines, start: place, hasRows: false)
            }
        } else {
            return nil
        }
    }

    private init(form: Form, start: Int, hasRows: Bool) {
        self.form = form
        self.start = start
        self.hasRows = hasRows
    }

    /// Layout of an array whose bracket ends before `start`. If the first element has its own line, each has, and a fault does not extend beyond
    /// its line.
    private static func array(_ head: [UInt8], _ start: Int, hasRows: Bool) -> DumpLayout {
        let first = skip(head, start)
        let hasNewline = head[start..<first].contains(0x0a)
        var scanner = ElementScanner()
        var end = first
        while end < head.count, head[end] != 0x0a, scanner.consume(head[end]) == .inside { end += 1 }
        let rest = head[min(end + 1, head.count)...].prefix { $0 != 0x0a }
        let isAlone = end >= head.count || head[end] == 0x0a ? end >= head.count : rest.allSatisfy { $0 <= 0x20 || $0 == 0x2c }
        let hasLineEnd = end + 1 + rest.count < head.count || end >= head.count
        return DumpLayout(form: hasNewline && isAlone && hasLineEnd ? .rows : .elements, start: start, hasRows: hasRows)
    }

    /// The key of a response's array and the position of its first element; `nil` if the object is a document.
    private static func envelope(_ head: [UInt8], _ open: Int) -> (key: String, start: Int)? {
        var place = open + 1
        while true {
            place = skip(head, place)
            guard place < head.count, head[place] == 0x22, let quote = head[(place + 1)...].firstIndex(of: 0x22) else { return nil }
            let key = String(decoding: head[(place + 1)..<quote], as: UTF8.self)
            guard envelopeKeys.contains(key) else { return nil }
            place = skip(head, quote + 1)
            guard place < head.count, head[place] == 0x3a else { return nil }
            place = skip(head, place + 1)
            guard place < head.count else { return nil }
            if head[place] == 0x5b { return ["rows", "results", "docs"].contains(key) ? (key, place + 1) : nil }
            var scanner = ElementScanner()
            while place < head.count, scanner.consume(head[place]) == .inside { place += 1 }
            place = skip(head, place)
            guard place < head.count, head[place] == 0x2c else { return nil }
            place += 1
        }
    }

    private static func skip(_ head: [UInt8], _ place: Int) -> Int {
        head[place...].firstIndex { $0 != 0x20 && $0 != 0x0a && $0 != 0x0d && $0 != 0x09 } ?? head.count
    }
}
