/// Reading of a table of which some pages cannot be read.
enum Salvage {
    /// Reads the rows of a range of keys, halving it where that fails, until what is left is one key.
    ///
    /// - Parameter read: reads a range, or throws and has done nothing.
    /// - Returns: the ranges that cannot be read, as large as they are contiguous.
    static func read(_ range: ClosedRange<Int64>, _ read: (ClosedRange<Int64>) throws -> Void) throws -> [ClosedRange<Int64>] {
        var unreadable: [ClosedRange<Int64>] = []
        var waiting = [range]
        while let next = waiting.popLast() {
            do {
                try read(next)
            } catch  where SourceDatabase.isDamage(error) {
                guard next.lowerBound < next.upperBound else {
                    if let last = unreadable.last, last.upperBound + 1 == next.lowerBound {
                        unreadable[unreadable.count - 1] = last.lowerBound...next.upperBound
                    } else {
                        unreadable.append(next)
                    }
                    continue
                }
                let middle = next.lowerBound + (next.upperBound - next.lowerBound) / 2
                waiting.append(middle + 1...next.upperBound)
                waiting.append(next.lowerBound...middle)
            }
        }
        return unreadable
    }
}
