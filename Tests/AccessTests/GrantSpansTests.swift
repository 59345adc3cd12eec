import Storage
import TestSupport
import Testing

@testable import Access

@Suite("Spans of grants")
struct GrantSpansTests {
    /// The moments from 0 to 19 that a set of spans covers, by a slow and simple computation.
    private typealias Moments = Set<Int64>

    private func spans(_ moments: Moments, isOpen: Bool) -> GrantSpans {
        var spans = GrantSpans()
        for moment in moments { spans.add(from: SequenceNumber(moment), until: SequenceNumber(moment + 1)) }
        if isOpen { spans.add(from: SequenceNumber(20)) }
        return spans
    }

    private func moments(_ spans: GrantSpans) -> Moments {
        var result: Moments = []
        for (granted, lost) in spans.ended { result.formUnion(granted.value..<lost.value) }
        if let since = spans.heldSince { result.formUnion(min(20, since.value)..<21) }
        return result
    }

    @Test("Union, intersection and difference equal those of sets of moments")
    func operations() {
        var generator = SeededGenerator(seed: 17)
        for _ in 0..<500 {
            let random = { (chance: Int) in Set((0..<Int64(20)).filter { _ in Int.random(in: 0..<10, using: &generator) < chance }) }
            let (a, b) = (random(5), random(4))
            let (openA, openB) = (Bool.random(using: &generator), Bool.random(using: &generator))
            let full = { (moments: Moments, isOpen: Bool) in isOpen ? moments.union([20]) : moments }
            let (first, second) = (spans(a, isOpen: openA), spans(b, isOpen: openB))
            #expect(moments(first.union(second)) == full(a, openA).union(full(b, openB)))
            #expect(moments(first.intersection(second)) == full(a, openA).intersection(full(b, openB)))
            #expect(moments(first.subtracting(second)) == full(a, openA).subtracting(full(b, openB)))
        }
    }

    @Test("Adjacent spans are joined, and empty ones are removed")
    func touching() {
        var spans = GrantSpans()
        spans.add(from: SequenceNumber(5), until: SequenceNumber(9))
        spans.add(from: SequenceNumber(9))
        #expect(spans.heldSince == SequenceNumber(5))
        #expect(spans.ended.isEmpty)
        #expect(GrantSpans(from: SequenceNumber(5), until: SequenceNumber(5)) == GrantSpans())
    }
}
