/// The documents of a run: IDs in random order, bodies of about 300 bytes, the same every time.
struct BenchmarkRows: Sendable {
    struct Row: Sendable {
        let id: String
        let digest: String
        let body: String
    }

    let rows: [Row]

    init(count: Int) {
        var state: UInt64 = 42
        func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 11
        }
        func hex(_ digits: Int) -> String {
            var text = ""
            while text.count < digits { text += String(next(), radix: 16) }
            return String(text.prefix(digits))
        }
        rows = (0..<count).map { number in
            let words = (0..<8).map { _ in hex(12) }.joined(separator: " ")
            let body = """
                "type":"order","number":\(number),"region":"eu","customer":"customer::\(next() % 10_000)","total":\(next() % 100_000).50,\
                "paid":true,"lines":[{"sku":"\(hex(6))","qty":\(next() % 9)}],"note":"\(words)"
                """
            return Row(id: "\(hex(8))-\(number)", digest: hex(32), body: body)
        }
    }

    /// Pieces of a size, in order.
    func batches(_ size: Int) -> [ArraySlice<Row>] {
        stride(from: 0, to: rows.count, by: size).map { rows[$0..<min($0 + size, rows.count)] }
    }
}
