import Documents
import Testing

/// The cost of the hot paths, which is printed. The limits are wide, for debug builds and busy machines: they detect a change of magnitude,
/// not of percents.
@Suite("Cost of the hot paths", .serialized)
struct CostTests {
    /// Microseconds for one run of `body`.
    private func measure(_ name: String, _ body: () throws -> Void) rethrows -> Double {
        let rounds = 500
        let clock = ContinuousClock()
        var best = Duration.seconds(1_000)
        for _ in 0..<5 {
            best = min(best, try clock.measure { for _ in 0..<rounds { try body() } })
        }
        let cost = Double(best.components.attoseconds) / 1e12 / Double(rounds) + Double(best.components.seconds) * 1e6 / Double(rounds)
        print("\(name): \((cost * 1000).rounded() / 1000) µs")
        return cost
    }

    private static let document = bytes(
        #"""
        {"_id":"order::000017","_rev":"2-c5557c751fcbfe4cd1f7221085d9ff70","_revisions":{"start":2,"ids":["c5557c751fcbfe4cd1f7221085d9ff70","61118a3ab2f57da9e7a814428e31afe1"]},"type":"order","customer":"customer::42","total":1234.50,"lines":[{"sku":"A-17","qty":2},{"sku":"B-4","qty":1}],"note":"leave at the door, please"}
        """#)

    @Test("A large text is scanned within the limit")
    func scanning() throws {
        let line =
            #"{"id":17,"text":"Forty-two documents in one line, each as long as a sentence that someone wrote","list":[1,2.5,true,null]}"#
        let json = bytes("[" + repeatElement(line, count: 100).joined(separator: ",") + "]")
        let cost = try measure("scan \(json.count) B") { try JSONReader.read(json) { _ = try $0.skip() } }
        print("scanning: \(Int(Double(json.count) / cost)) MB/s")
        #expect(cost < 100_000)
    }

    @Test("Parsing, trees, merging and rendering stay within the limit")
    func costs() throws {
        let history = try revisions("2-c5557c751fcbfe4cd1f7221085d9ff70", "1-61118a3ab2f57da9e7a814428e31afe1")
        var one = RevisionTree()
        try one.merge([history[1]], isDeleted: false)
        var fifty = RevisionTree()
        try fifty.merge((1...50).reversed().map { try revision("\($0)-c5557c751fcbfe4cd1f7221085d9ff70") }, isDeleted: false)
        let (oneEncoded, fiftyEncoded) = (one.encoded(), fifty.encoded())
        var renderer = DocumentRenderer(
            id: "order::000017", revision: history[0], body: try ParsedDocument(Self.document, policy: .legacy).body)
        renderer.history = history
        var buffer: [UInt8] = []
        let body = renderer.body

        let costs = [
            try measure("parse a document of \(Self.document.count) B") { _ = try ParsedDocument(Self.document, policy: .legacy) },
            try measure("parse a BLIP body of \(body.count) B") { _ = try ParsedDocument(body, policy: .modern) },
            measure("encode a tree of one") { _ = one.encoded() },
            try measure("decode a tree of one") { _ = try RevisionTree(encoded: oneEncoded) },
            try measure("decode a tree of fifty") { _ = try RevisionTree(encoded: fiftyEncoded) },
            measure("encode a tree of fifty") { _ = fifty.encoded() },
            try measure("merge a history of one into an empty tree") {
                var tree = RevisionTree()
                try tree.merge([history[1]], isDeleted: false)
            },
            try measure("merge a history of two into a tree of one") {
                var tree = one
                try tree.merge(history, isDeleted: false)
            },
            measure("render a document") {
                buffer.removeAll(keepingCapacity: true)
                renderer.append(to: &buffer)
            },
            try measure("make a revision ID as Sync Gateway does") {
                _ = try RevisionDigest.syncGateway(parent: history[1], body: body, isDeleted: false)
            },
        ]
        for cost in costs { #expect(cost < 2_000) }
    }
}
