import Documents
import Gateway

/// Builds rules from partitions and counts their effects.
struct SuggestionBuilder {
    private let sample: DocumentSample
    private let scope: String
    private var rules: [RouteSuggestion.Rule] = []

    init(_ sample: DocumentSample, scope: String) {
        self.sample = sample
        self.scope = scope
    }

    /// Adds a rule for each group with documents that no earlier rule matches.
    ///
    /// - Parameter other: A partition by prefixes. If a prefix matches exactly the documents of a group, the rule uses the prefix, because it
    ///   also matches tombstones, which have no properties.
    mutating func add(_ partition: DocumentPartition, agreeing other: DocumentPartition? = nil) {
        var fresh: [RouteSuggestion.Rule] = []
        let isWanted = sample.documents.map { document in rules.contains { matches($0, document) } }
        let members = partition.groups.indices.reduce(into: [[Int]](repeating: [], count: partition.labels.count)) { members, index in
            if let group = partition.groups[index], !isWanted[index] { members[group].append(index) }
        }
        for (group, label) in partition.labels.enumerated() {
            // The rest of a group that an earlier rule mostly covers is an exception, not a type.
            guard members[group].count * 2 > partition.sizes[group] else { continue }
            fresh.append(rule(partition, group, label, other))
        }
        rules += fresh.filter { $0.property != nil }
        // `order::` has to come before `order:`.
        rules += fresh.filter { $0.property == nil }.sorted { ($0.idPrefix?.utf8.count ?? 0) > ($1.idPrefix?.utf8.count ?? 0) }
    }

    private func rule(_ partition: DocumentPartition, _ group: Int, _ label: String, _ other: DocumentPartition?) -> RouteSuggestion.Rule {
        guard case .property(let number) = partition.kind else {
            let name = IDPrefix(label)?.name ?? label
            return RouteSuggestion.Rule(collection: collection(name), idPrefix: label)
        }
        let property = sample.names[number]
        var rule = RouteSuggestion.Rule(collection: collection(label), property: property, equals: label)
        guard let other else { return rule }
        var prefixes: [Int?: Int] = [:]
        for index in partition.groups.indices where partition.groups[index] == group { prefixes[other.groups[index], default: 0] += 1 }
        let most = prefixes.max { ($0.value, $1.key ?? .max) < ($1.value, $0.key ?? .max) }
        guard let prefix = most?.key, let count = most?.value else { return rule }
        let size = partition.sizes[group]
        if count == size, count == other.sizes[prefix], count > 1 {
            var byPrefix = RouteSuggestion.Rule(collection: rule.collection, idPrefix: other.labels[prefix])
            byPrefix.notes = ["the same documents as `\(property)` \"\(label)\"; a rule by ID also matches tombstones"]
            return byPrefix
        }
        if count * 2 > size, count < size {
            rule.notes.append("\(size - count) of \(size) have another prefix than \"\(other.labels[prefix])\", or none")
        }
        if count * 2 > size, count < other.sizes[prefix] {
            rule.notes.append(
                "\(other.sizes[prefix] - count) with the prefix \"\(other.labels[prefix])\" have another `\(property)`, or none")
        }
        return rule
    }

    /// Counts the documents of each rule; the first matching rule counts.
    func finish(_ suggestion: inout RouteSuggestion) {
        var rules = rules
        for document in sample.documents {
            let matching = rules.indices.filter { matches(rules[$0], document) }
            guard let first = matching.first else {
                if document.isDeleted { suggestion.unmatchedTombstones += 1 } else { suggestion.unmatched.add(document.id) }
                continue
            }
            rules[first].documents += 1
            if document.isDeleted { rules[first].tombstones += 1 }
            if rules[first].examples.count < ReportOutcome.exampleCount { rules[first].examples.append(document.id) }
            if Set(matching.map { rules[$0].collection }).count > 1 { suggestion.overlapping.add(document.id) }
        }
        for index in rules.indices { rules[index].stripping = stripping(rules[index], among: rules) }
        suggestion.rules = rules
    }

    private func stripping(_ rule: RouteSuggestion.Rule, among rules: [RouteSuggestion.Rule]) -> RouteSuggestion.Stripping? {
        guard let prefix = rule.idPrefix else { return nil }
        guard rules.filter({ $0.collection == rule.collection }).count == 1 else { return .sharedCollection }
        let isGood = sample.documents.allSatisfy { document in
            guard document.id.utf8.starts(with: prefix.utf8) else { return true }
            let rest = document.id.utf8.dropFirst(prefix.utf8.count)
            return !rest.isEmpty && rest.first != UInt8(ascii: "_")
        }
        return isGood ? .safe : .badRest
    }

    private func matches(_ rule: RouteSuggestion.Rule, _ document: SampledDocument) -> Bool {
        if let prefix = rule.idPrefix { return document.id.utf8.starts(with: prefix.utf8) }
        guard let property = rule.property, let value = rule.equals else { return false }
        return sample.number(of: property).flatMap { document.texts[$0] }?.utf8.elementsEqual(value.utf8) ?? false
    }

    /// A collection named after a type. Types that differ only in case or punctuation share a collection.
    private func collection(_ type: String) -> String {
        var name = String(type.lowercased().map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") ? $0 : "_" })
        name = String(name.drop { $0 == "_" || $0 == "-" })
        while name.hasSuffix("_") { name.removeLast() }
        return "\(scope).\(name.isEmpty ? "other" : name)"
    }
}
