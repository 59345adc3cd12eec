import Documents

/// Finds a property or ID prefixes that distinguish the types of documents.
///
/// Each candidate partitions the documents into groups. The best partition explains most of the differences between documents
/// (``DocumentPartition/explained(_:)``), has a typical type name, and covers most documents. The other kind of partition handles the documents
/// that it does not cover.
package struct RouteSuggester {
    /// Typical names of type properties, in lower case and without `_`.
    private static let typicalNames: Set<String> = [
        "class", "classname", "collection", "collectionname", "datatype", "doctype", "documenttype", "entity", "entityname", "entitytype",
        "kind", "model", "modelname", "modeltype", "objecttype", "recordtype", "schema", "table", "tablename", "type", "typename",
    ]

    private let sample: DocumentSample
    private let live: Int

    /// Smallest size of a group; smaller ones are probably typing errors.
    private let minimum: Int

    package init(_ sample: DocumentSample) {
        self.sample = sample
        live = sample.documents.filter { !$0.isDeleted }.count
        minimum = max(1, live / 1000)
    }

    /// - Parameter scope: Scope of the suggested collections.
    package func suggest(scope: String = "_default") -> RouteSuggestion {
        let property = bestProperty()
        let prefix = prefixes()
        var suggestion = RouteSuggestion(seen: sample.seen, sampled: sample.documents.count)
        var builder = SuggestionBuilder(sample, scope: scope)
        switch (property, prefix) {
        case (let property?, let prefix?) where property.score >= prefix.score:
            builder.add(property.partition, agreeing: prefix.partition)
            builder.add(prefix.partition)
        case (let property, let prefix?):
            builder.add(prefix.partition)
            if let property { builder.add(property.partition) }
        case (let property?, nil): builder.add(property.partition)
        case (nil, nil):
            suggestion.notes = [
                "No property and no prefix of the IDs distinguishes the documents. Routes can still use a `javascript` condition."
            ]
        }
        builder.finish(&suggestion)
        return suggestion
    }

    private func bestProperty() -> (partition: DocumentPartition, score: Double)? {
        sample.names.indices.compactMap { rated(property: $0) }.max {
            ($0.score, $1.partition.labels.count) < ($1.score, $0.partition.labels.count)
        }
    }

    private func rated(property: Int) -> (partition: DocumentPartition, score: Double)? {
        let name = sample.names[property]
        guard Self.isPlain(name) else { return nil }
        let values = sample.documents.map { document in document.texts[property].flatMap { Self.isPlain($0) ? $0 : nil } }
        guard Set(values.compactMap { $0 }).count <= 10 * DocumentPartition.maximumGroups else { return nil }
        let partition = DocumentPartition(.property(property), values, minimum: minimum)
        let groups = partition.labels.count
        guard (1...DocumentPartition.maximumGroups).contains(groups) else { return nil }
        let isTypical = Self.typicalNames.contains(String(name.lowercased().filter { $0.isLetter }))
        let coverage = Double(partition.covered) / Double(live)
        let explained = partition.explained(sample) ?? 0
        // A property without a typical name must behave like a type.
        guard isTypical || (groups > 1 && partition.covered >= 3 * groups && explained >= 0.5 && coverage >= 0.3) else { return nil }
        return (partition, coverage * ((isTypical ? 0.5 : 0) + 0.5 * explained))
    }

    private func prefixes() -> (partition: DocumentPartition, score: Double)? {
        let found = sample.documents.map { $0.isDeleted ? nil : IDPrefix($0.id) }
        let deliberate = DocumentPartition(
            .prefix, found.map { $0.flatMap { $0.isDeliberate ? $0.text : nil } }, minimum: max(2, minimum))
        // Many IDs contain a hyphen or an underscore, so only a frequent prefix counts.
        let ordinary = DocumentPartition(
            .prefix, found.map { $0.flatMap { $0.isDeliberate ? nil : $0.text } }, minimum: max(3, live / 100))
        var kept: Set<String> = []
        for partition in [deliberate, ordinary] where partition.labels.count <= DocumentPartition.maximumGroups {
            kept.formUnion(partition.labels)
        }
        guard !kept.isEmpty else { return nil }
        let partition = DocumentPartition(.prefix, found.map { $0.flatMap { kept.contains($0.text) ? $0.text : nil } }, minimum: 1)
        let coverage = Double(partition.covered) / Double(live)
        return (partition, coverage * (0.4 + 0.5 * (partition.explained(sample) ?? 0)))
    }

    /// Whether a routes file can contain a text verbatim and in readable form.
    private static func isPlain(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= SampledDocument.maximumValueLength && ReportFormat.plain(text) == text
            && !text.contains("${")
    }
}
