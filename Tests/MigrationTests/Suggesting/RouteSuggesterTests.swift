import Migration
import Testing

@Suite("Suggested routes")
struct RouteSuggesterTests {
    private func conditions(_ suggestion: RouteSuggestion) -> [String] {
        suggestion.rules.map { "\($0.collection) \($0.property.map { "\($0)=" } ?? "")\($0.equals ?? $0.idPrefix ?? "") \($0.documents)" }
    }

    private static let orders = SampleData.typed("type", "order", count: 70, id: { "o\($0 * 7919)" }, also: #""total":1,"lines":[]"#)
    private static let customers = SampleData.typed("type", "customer", count: 30, id: { "c\($0 * 104729)" }, also: #""email":"a@b""#)

    @Test("A property that is named and distributed like a type is suggested")
    func byType() throws {
        let suggestion = try SampleData.suggest(Self.orders + Self.customers, scope: "sales")
        #expect(conditions(suggestion) == ["sales.order type=order 70", "sales.customer type=customer 30"])
        #expect(suggestion.unmatched.documents == 0)
        #expect(suggestion.rules.allSatisfy { $0.stripping == nil && $0.notes.isEmpty })
    }

    @Test("A property that is only distributed like a type is suggested; a country, a date and an owner are not")
    func unnamedType() throws {
        let documents =
            SampleData.typed("what", "order", count: 70, id: { "\($0 * 7919)" }, also: #""total":1,"lines":[]"#)
            + SampleData.typed("what", "customer", count: 30, id: { "\($0 * 104_729)x" }, also: #""email":"a@b""#)
        #expect(try conditions(SampleData.suggest(documents)) == ["_default.order what=order 70", "_default.customer what=customer 30"])
    }

    @Test("Prefixes of every usual form are suggested", arguments: ["::", ":", "-", "_", "."])
    func byPrefix(separator: String) throws {
        let documents =
            (0..<60).map { ("order\(separator)\($0)", #"{"total":1}"#) } + (0..<40).map { ("customer\(separator)\($0)", #"{"email":"x"}"#) }
        let suggestion = try SampleData.suggest(documents, tombstones: ["order\(separator)99", "gone"])
        #expect(
            conditions(suggestion).sorted() == ["_default.customer customer\(separator) 40", "_default.order order\(separator) 61"])
        #expect(suggestion.rules.allSatisfy { $0.stripping == .safe })
        #expect(suggestion.rules.map(\.tombstones).reduce(0, +) == 1)
        #expect(suggestion.unmatchedTombstones == 1)
    }

    @Test("Where a prefix and a type agree, the rule uses the prefix")
    func agreement() throws {
        let documents =
            SampleData.typed("type", "order", count: 50, id: { "order::\($0)" }, also: #""total":1"#)
            + SampleData.typed("type", "note", count: 50, id: { "\($0 * 7919)" }, also: #""text":"x""#)
        let suggestion = try SampleData.suggest(documents, tombstones: ["order::99"])
        #expect(conditions(suggestion) == ["_default.note type=note 50", "_default.order order:: 51"])
        #expect(suggestion.rules.last?.notes.first?.contains("the same documents as `type` \"order\"") == true)
        #expect(suggestion.rules.last?.stripping == .safe)
    }

    @Test("Where they disagree, the rule uses the type, and the exceptions are reported")
    func disagreement() throws {
        let documents =
            SampleData.typed("type", "order", count: 48, id: { "order::\($0)" }, also: #""total":1"#)
            + SampleData.typed("type", "order", count: 2, id: { "import-\($0)" }, also: #""total":1"#)
            + SampleData.typed("type", "invoice", count: 40, id: { "invoice::\($0)" }, also: #""due":1"#)
            + SampleData.typed("type", "invoice", count: 3, id: { "order::i\($0)" }, also: #""due":1"#)
        let suggestion = try SampleData.suggest(documents)
        #expect(conditions(suggestion) == ["_default.order type=order 50", "_default.invoice type=invoice 43"])
        #expect(
            suggestion.rules.first?.notes == [
                "2 of 50 have another prefix than \"order::\", or none", "3 with the prefix \"order::\" have another `type`, or none",
            ])
    }

    @Test("Documents without a type are assigned by their prefix")
    func mixed() throws {
        let untyped = (0..<30).map { ("log::\($0)", #"{"message":"x","level":3}"#) } + (0..<5).map { ("\($0 * 31)", #"{"odd":\#($0)}"#) }
        let suggestion = try SampleData.suggest(Self.orders + Self.customers + untyped)
        #expect(
            conditions(suggestion) == ["_default.order type=order 70", "_default.customer type=customer 30", "_default.log log:: 30"])
        #expect(suggestion.unmatched.documents == 5)
        #expect(suggestion.unmatched.examples == ["0", "31", "62", "93", "124"])
    }

    @Test("Types that differ only in case or signs share a collection")
    func spellings() throws {
        let documents = Self.orders + SampleData.typed("type", "Order", count: 5, id: { "x\($0)" }, also: #""total":1"#) + Self.customers
        let suggestion = try SampleData.suggest(documents)
        #expect(suggestion.rules.map(\.collection).sorted() == ["_default.customer", "_default.order", "_default.order"])
        #expect(suggestion.overlapping.documents == 0)
    }

    @Test("A single type is suggested if it is named as one, or is in the ID")
    func oneType() throws {
        #expect(try conditions(SampleData.suggest(Self.orders)) == ["_default.order type=order 70"])
        #expect(try conditions(SampleData.suggest((0..<9).map { ("task::\($0)", #"{"a":1}"#) })) == ["_default.task task:: 9"])
    }

    @Test("Without distinguishable types nothing is suggested, with a message")
    func noTypes() throws {
        let uuids = (0..<200).map { (String($0 &* 2_654_435_761, radix: 16) + "-4f2a-9b", #"{"text":"t\#($0)","done":true}"#) }
        for documents in [[], [("a", "{}")], uuids] {
            let suggestion = try SampleData.suggest(documents)
            #expect(suggestion.rules.isEmpty, "\(conditions(suggestion))")
            #expect(suggestion.notes.count == 1)
        }
    }

    @Test("Names of people in IDs are no types, nor are sentences, numbers and lists in a property")
    func noise() throws {
        let documents = (0..<300).map { number in
            ("user\(number % 150)_\(number)", #"{"title":"what \#(number) is","kind":\#(number % 3),"class":["a"],"type":null}"#)
        }
        #expect(try SampleData.suggest(documents).rules.isEmpty)
    }

    @Test("A prefix does not count as safe to strip if the rest of an ID is empty, or begins with an underscore")
    func unsafeStripping() throws {
        for bad in ["order::", "order::_x"] {
            let suggestion = try SampleData.suggest((0..<9).map { ("order::\($0)", #"{"a":1}"#) } + [(bad, "{}")])
            #expect(suggestion.rules.first?.stripping == .badRest)
        }
        let shared = try SampleData.suggest((0..<9).map { ("order::\($0)", "{}") } + (0..<9).map { ("order:\($0)", "{}") })
        #expect(shared.rules.map(\.stripping) == [.sharedCollection, .sharedCollection])
        #expect(shared.rules.map(\.idPrefix) == ["order::", "order:"])
    }

    @Test("Bodies that are not JSON, endless keys and hostile types have no effect")
    func hostile() throws {
        var documents = Self.orders.map { ($0.id, $0.body) }
        documents.append(("broken", "{\"type\":\"ord"))
        documents.append(("wide", "{" + (0..<5000).map { "\"k\($0)\":1" }.joined(separator: ",") + "}"))
        for (number, type) in ["x\\n- evil: true", "${HOME}", "\\u202eorder", "", "a\\\"b", "'", "#"].enumerated() {
            documents += (0..<5).map { ("h\(number)x\($0)", "{\"type\":\"\(type)\"}") }
        }
        let suggestion = try SampleData.suggest(documents)
        #expect(suggestion.rules.map(\.equals) == ["order", "#", "'", "a\"b"])
        #expect(suggestion.rules.map(\.collection) == ["_default.order", "_default.other", "_default.other", "_default.a_b"])
        #expect(suggestion.yaml.contains(#"equals: "a\"b""#))
        #expect(!suggestion.yaml.contains("evil: true"))
    }
}
