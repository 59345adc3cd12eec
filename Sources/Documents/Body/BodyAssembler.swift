/// Notes which members of a document are its user's, and puts them together as they stand.
struct BodyAssembler {
    /// Runs of members that lie side by side, each from a key's quote to a value's end.
    private var runs: [Range<Int>] = []
    private var isWhole = true
    private var isOpen = false

    /// The member at these offsets belongs to the body.
    @inline(__always)
    mutating func keep(_ member: Range<Int>) {
        if isOpen {
            runs[runs.count - 1] = runs[runs.count - 1].lowerBound..<member.upperBound
        } else {
            runs.append(member)
            isOpen = true
        }
    }

    /// A member that does not belong to it comes in between.
    @inline(__always)
    mutating func cut() {
        isOpen = false
        isWhole = false
    }

    /// The body as one JSON object.
    ///
    /// - Parameters:
    ///   - document: Where the document's own object lies.
    ///   - reader: The reader of its text.
    func body(_ document: Range<Int>, in reader: borrowing JSONReader) -> [UInt8] {
        if isWhole, !runs.isEmpty { return Array(reader.bytes(document)) }
        var body: [UInt8] = []
        body.reserveCapacity(runs.reduce(1) { $0 + $1.count + 1 } + 1)
        body.append(0x7b)
        for (index, run) in runs.enumerated() {
            if index > 0 { body.append(0x2c) }
            body.append(contentsOf: reader.bytes(run))
        }
        body.append(0x7d)
        return body
    }
}
