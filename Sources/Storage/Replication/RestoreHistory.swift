/// The restores of a store from backups, the first one first.
///
/// After two restores from one backup, a store assigns the same sequences again, to other changes. So a sequence that another server keeps, such
/// as the progress of a push, is valid in this store only as far as both have the same restores.
package struct RestoreHistory: Hashable, Sendable {
    package struct Restore: Hashable, Sendable {
        /// The last sequence of the backup.
        package let end: SequenceNumber

        /// In milliseconds since 1970.
        package let time: Int64

        package init(end: SequenceNumber, time: Int64) {
            self.end = end
            self.time = time
        }
    }

    private let restores: [Restore]

    package init(_ restores: [Restore] = []) {
        self.restores = restores
    }

    /// Reads ``numbers``. A trailing number without its pair is ignored.
    package init(numbers: [Int64]) {
        restores = stride(from: 0, to: numbers.count - 1, by: 2).map { Restore(end: SequenceNumber(numbers[$0]), time: numbers[$0 + 1]) }
    }

    package var isEmpty: Bool { restores.isEmpty }

    /// Pairs of the end of each backup and the time of its restore.
    package var numbers: [Int64] { restores.flatMap { [$0.end.value, $0.time] } }

    /// The last sequence that has the same change in a store with another history; `nil` if the histories are equal, so that all sequences have.
    package func shared(with other: RestoreHistory) -> SequenceNumber? {
        let common = zip(restores, other.restores).prefix { $0 == $1 }.count
        return [restores, other.restores].compactMap { $0.dropFirst(common).first?.end }.min()
    }
}
