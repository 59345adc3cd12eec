import HTTP
import TestSupport
import Testing

@Suite("PercentEncoding")
struct PercentEncodingTests {
    @Test("Document IDs are encoded as by Couchbase Lite for iOS")
    func segments() {
        #expect(PercentEncoding.encodePathSegment("j4/sl ash+ü&?#%") == "j4%2Fsl%20ash%2B%C3%BC%26%3F%23%25")
        #expect(PercentEncoding.encodePathSegment("/:?@!$&'()*+,;=") == "%2F%3A%3F%40%21%24%26%27%28%29%2A%2B%2C%3B%3D")
        #expect(PercentEncoding.encodePathSegment("AZaz09-._~") == "AZaz09-._~")
        #expect(PercentEncoding.encodePathSegment("😀") == "%F0%9F%98%80")
        #expect(PercentEncoding.encodePathSegment("").isEmpty)
    }

    @Test("IDs of dots alone are not read as path steps")
    func dots() {
        #expect(PercentEncoding.encodePathSegment(".") == "%2E")
        #expect(PercentEncoding.encodePathSegment("..") == "%2E%2E")
        #expect(PercentEncoding.encodePathSegment("...") == "...")
    }

    @Test("The slash of _design/ and _local/ stays, and others are encoded")
    func documentIDs() {
        #expect(PercentEncoding.encodeDocumentID("_design/a/b") == "_design/a%2Fb")
        #expect(PercentEncoding.encodeDocumentID("_local/abc==") == "_local/abc%3D%3D")
        #expect(PercentEncoding.encodeDocumentID("a/b") == "a%2Fb")
        #expect(PercentEncoding.encodeDocumentID("_designx/b") == "_designx%2Fb")
    }

    @Test("Any ID comes back from a path and from a query byte for byte", arguments: 0..<20)
    func roundTrip(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<100 {
            let id = Self.text(&random)
            let path = try RequestTarget("/db/\(PercentEncoding.encodePathSegment(id))/x")
            #expect(path.segments.count == 3)
            #expect(path.segments[1].value.utf8.elementsEqual(id.utf8))
            let query = Query([QueryItem(id, id), QueryItem("next", "1")])
            let read = try RequestTarget("/db?\(query.raw)").query
            #expect(read.items.count == 2)
            #expect(read.items[0].name.utf8.elementsEqual(id.utf8))
            #expect(read.items[0].value.utf8.elementsEqual(id.utf8))
        }
    }

    @Test("Random targets are parsed or refused, and segments join to the original path", arguments: 0..<20)
    func hostileTargets(seed: UInt64) throws {
        var random = SeededGenerator(seed: 500 + seed)
        let alphabet = Array("//%%2e..?&=+aé[#".utf8)
        for _ in 0..<200 {
            let noise = random.bytes(Int.random(in: 0...30, using: &random), alphabet: alphabet)
            let text = "/" + String(decoding: noise, as: UTF8.self)
            guard let target = try? RequestTarget(text) else { continue }
            let joined = "/" + target.segments.map(\.raw).joined(separator: "/")
            let path = joined + (target.hasTrailingSlash && !target.segments.isEmpty ? "/" : "")
            #expect(path.utf8.elementsEqual(target.rawPath.utf8))
            #expect(text.utf8.starts(with: target.rawPath.utf8))
        }
    }

    /// Text of any scalars but NUL: ASCII, combining marks, other planes, unassigned ones.
    private static func text(_ random: inout SeededGenerator) -> String {
        var scalars = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 1...12, using: &random) {
            let bounds: ClosedRange<UInt32> =
                [1...0x7F, 0x80...0x7FF, 0x300...0x36F, 0x800...0xFFFF, 0x1_0000...0x10_FFFF]
                .randomElement(using: &random) ?? 1...0x7F
            if let scalar = Unicode.Scalar(UInt32.random(in: bounds, using: &random)) { scalars.append(scalar) }
        }
        return String(scalars)
    }
}
