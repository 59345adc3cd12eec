import Gateway
import Migration
import Testing

@Suite("Samples of documents for suggested routes")
struct DocumentSampleTests {
    private func documents(_ count: Int) -> [(id: String, body: String)] {
        (0..<count).map { ($0 % 10 == 0 ? "note::\($0)" : "order::\($0)", "{}") }
    }

    @Test("A random sample is the same for the same source, and represents the whole")
    func reservoir() throws {
        let first = try SampleData.sample(documents(20_000), size: 1000)
        let second = try SampleData.sample(documents(20_000), size: 1000)
        let suggestions = [first, second].map { RouteSuggester($0).suggest() }
        #expect(first.isPart && first.seen == 20_000)
        #expect(suggestions[0] == suggestions[1])
        #expect(suggestions[0].sampled == 1000)
        let notes = try #require(suggestions[0].rules.first { $0.idPrefix == "note::" })
        // A tenth of 1000, give or take five standard deviations.
        #expect((52...148).contains(notes.documents))
        #expect(suggestions[0].yaml.contains("1,000 documents, chosen at random among 20,000"))
    }

    @Test("Documents in collections, design documents and unreadable ones are left out")
    func leftOut() throws {
        var sample = try SampleData.sample([("a", "{}"), ("_design/app", "{}")])
        sample.add(.fault(SourceFault(id: "line 1", reason: "no JSON")))
        guard case .document(var document) = try SampleData.document("b", "{}") else { return }
        document.collection = CollectionName(scope: "sales", name: "orders")
        sample.add(.document(document))
        #expect(sample.seen == 1)
        #expect(sample.placed == 1)
        #expect(sample.faults == 1)
    }

    @Test("The file lists the documents of each rule, for the people who decide")
    func yaml() throws {
        let suggestion = try SampleData.suggest(
            (0..<12).map { ("order::\($0)", #"{"total":1}"#) } + [("x", #"{"a":1}"#)], tombstones: ["order::99", "gone"], scope: "sales")
        #expect(
            suggestion.yaml == """
                # Routes that `dualgauge migrate --suggest` has derived from all 15 documents.
                # Read them before you use them, then see what they would do: dualgauge migrate … --routes THIS-FILE --dry-run
                # No rule matches 1 document and 1 tombstones: x.
                collections:
                  "sales.order": {}
                routes:
                  # 13 documents, 1 of them tombstones: order::0, order::1, order::2
                  # `stripPrefix: true` would be safe: nothing else comes into this collection
                  - { to: "sales.order", when: { idPrefix: "order::" } }

                """)
        let empty = try SampleData.suggest([]).yaml
        #expect(empty.hasSuffix("collections: {}\nroutes: []\n"))
    }
}
