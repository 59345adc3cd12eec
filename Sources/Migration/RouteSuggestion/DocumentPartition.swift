import Foundation

/// A partition of a sample's documents into groups, by the value of a property or by ID prefix.
struct DocumentPartition {
    enum Kind: Hashable {
        /// A property, by its index in the sample.
        case property(Int)
        case prefix
    }

    /// Largest number of groups; a property with more values is not a type.
    static let maximumGroups = 64

    let kind: Kind

    /// The common value or prefix of each group, largest group first.
    let labels: [String]

    /// The group of each document of the sample; `nil` for a document without a group, such as every tombstone.
    let groups: [Int?]

    /// Number of documents in each group.
    let sizes: [Int]

    /// Number of documents that are in a group.
    let covered: Int

    /// - Parameter minimum: Smallest size of a group; documents of smaller ones have no group.
    init(_ kind: Kind, _ values: [String?], minimum: Int) {
        self.kind = kind
        var counts: [String: Int] = [:]
        for case let value? in values { counts[value, default: 0] += 1 }
        let kept = counts.filter { $0.value >= minimum }.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        labels = kept.map(\.key)
        sizes = kept.map(\.value)
        covered = sizes.reduce(0, +)
        let numbers = Dictionary(kept.enumerated().map { ($1.key, $0) }) { first, _ in first }
        groups = values.map { $0.flatMap { numbers[$0] } }
    }

    /// The share of the differences in property names that the groups explain: 1 if all documents of each group have the same properties, 0 if
    /// the groups explain nothing; `nil` if all documents have nearly the same properties anyway.
    ///
    /// The value is the mutual information of group and property presence, summed over the properties and divided by the entropy of the
    /// presences. A type determines which properties a document has; a state, a country or an owner does not.
    func explained(_ sample: DocumentSample) -> Double? {
        let live = sample.documents.indices.filter { !sample.documents[$0].isDeleted }
        guard live.count > 1 else { return nil }
        var totals = [Int](repeating: 0, count: labels.count + 1)
        var present = [[Int: Int]](repeating: [:], count: labels.count + 1)
        for index in live {
            let group = groups[index] ?? labels.count
            totals[group] += 1
            for property in sample.documents[index].properties { present[group][property, default: 0] += 1 }
        }
        let all = present.reduce(into: [Int: Int]()) { $0.merge($1, uniquingKeysWith: +) }
        let count = Double(live.count)
        let used = totals.filter { $0 > 0 }.count
        // The information that this number of groups explains by chance (Miller and Madow), per property.
        let chance = Double(used - 1) / (2 * count * log(2))
        var entropy = 0.0
        var gain = 0.0
        for (property, number) in all where kind != .property(property) {
            let whole = Self.entropy(Double(number) / count)
            let rest = totals.indices.reduce(0.0) { sum, group in
                guard totals[group] > 0 else { return sum }
                let share = Double(present[group][property] ?? 0) / Double(totals[group])
                return sum + Double(totals[group]) / count * Self.entropy(share)
            }
            entropy += whole
            gain += max(0, whole - rest - chance)
        }
        return entropy > 0.1 ? min(1, gain / entropy) : nil
    }

    /// Entropy of a Boolean that is true with this probability, in bits.
    private static func entropy(_ probability: Double) -> Double {
        guard probability > 0, probability < 1 else { return 0 }
        return -(probability * log2(probability) + (1 - probability) * log2(1 - probability))
    }
}
