/// Byte ranges that two texts have in common, in the same order in both.
///
/// The result is not optimal; the search takes time proportional to the length of the texts.
struct CommonStretches {
    struct Stretch {
        let old: Int
        let new: Int
        let count: Int
    }

    /// The block size by which the old text is indexed, in bytes. Every common stretch of at least twice this length contains a block.
    private static let block = 16

    /// How many offsets are indexed of a block that repeats.
    private static let placesOfBlock = 8

    private(set) var found: [Stretch] = []

    /// - Parameters: The texts, and the ranges of them to compare.
    init(old: [UInt8], _ oldRange: Range<Int>, new: [UInt8], _ newRange: Range<Int>) {
        var places: [SIMD16<UInt8>: [Int]] = [:]
        for place in stride(from: oldRange.lowerBound, through: oldRange.upperBound - Self.block, by: Self.block) {
            let block = Self.block(old, place)
            if places[block]?.count ?? 0 < Self.placesOfBlock { places[block, default: []].append(place) }
        }
        guard !places.isEmpty else { return }
        var (oldStart, newStart) = (oldRange.lowerBound, newRange.lowerBound)
        var place = newStart
        while place + Self.block <= newRange.upperBound {
            let match = places[Self.block(new, place)]?.first { $0 >= oldStart }
            guard let match,
                let stretch = Self.stretch(old, match, oldStart..<oldRange.upperBound, new, place, newStart..<newRange.upperBound)
            else {
                place += 1
                continue
            }
            found.append(stretch)
            oldStart = stretch.old + stretch.count
            newStart = stretch.new + stretch.count
            place = max(place + 1, newStart)
        }
    }

    /// Extends a matching block in both directions as far as the texts are equal, limited to whole characters.
    private static func stretch(
        _ old: [UInt8], _ oldPlace: Int, _ oldRange: Range<Int>, _ new: [UInt8], _ newPlace: Int, _ newRange: Range<Int>
    ) -> Stretch? {
        let room = min(oldPlace - oldRange.lowerBound, newPlace - newRange.lowerBound)
        var back = 0
        while back < room, old[oldPlace - back - 1] == new[newPlace - back - 1] { back += 1 }
        var (oldStart, newStart, newEnd) = (oldPlace - back, newPlace - back, newPlace + block)
        while newEnd < newRange.upperBound, oldPlace + newEnd - newPlace < oldRange.upperBound,
            old[oldPlace + newEnd - newPlace] == new[newEnd]
        { newEnd += 1 }
        while newStart < newEnd, TextPatch.isContinuation(new[newStart]) { (oldStart, newStart) = (oldStart + 1, newStart + 1) }
        newEnd -= TextPatch.partialCharacter(new, before: newEnd)
        return newEnd > newStart ? Stretch(old: oldStart, new: newStart, count: newEnd - newStart) : nil
    }

    private static func block(_ text: [UInt8], _ place: Int) -> SIMD16<UInt8> {
        text.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: place, as: SIMD16<UInt8>.self) }
    }
}
