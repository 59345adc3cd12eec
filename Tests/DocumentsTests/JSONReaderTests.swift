import Documents
import TestSupport
import Testing

@Suite("JSON reader")
struct JSONReaderTests {
    private func check(_ json: [UInt8], maximumDepth: Int = 512) -> JSONError.Code? {
        do {
            try JSONReader.read(json, maximumDepth: maximumDepth) { _ = try $0.skip() }
            return nil
        } catch let error as JSONError {
            return error.code
        } catch {
            return .wrongType
        }
    }

    @Test(
        "Well-formed texts are accepted",
        arguments: [
            "0", "-0", "1.0", "1e400", "-1.5E-10", "12345678901234567890", "\"\"", #""\u0000\uD83D\uDE00\/\b\f\n\r\t\\\"""#, #""\ud800""#,
            "true",
            "false", "null", "[]", "{}", " [ 1 , 2 ] \n", "{\"a\":[{\"b\":null}],\"\":\"\"}", "\"é€😀\"", "\"\u{7f}\"", "[[[]],{}]",
        ])
    func wellFormed(json: String) {
        #expect(check(bytes(json)) == nil)
    }

    @Test(
        "Malformed texts are refused",
        arguments: [
            "", " ", "01", "-", "+1", "1.", ".5", "1e", "1e+", "0x1", "NaN", "tru", "truE", "nul", "'a'", "\"", "\"\\", "\"\\u12\"",
            "\"\\u12g4\"",
            "\"\\x\"", "\"a\nb\"", "\"\u{1}\"", "[", "[1", "[1,", "[1,]", "[,1]", "]", "{", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,",
            "{\"a\":1,}",
            "{a:1}", "{1:1}", "{\"a\" 1}", "{\"a\":1 \"b\":2}", "1 2", "[] []", "{}x", "\u{feff}1", "\"\\u\u{11}234\"",
        ])
    func malformed(json: String) {
        #expect(check(bytes(json)) != nil)
    }

    @Test(
        "Text that is not UTF-8 is refused",
        arguments: [
            [0x80], [0xc0, 0x80], [0xc1, 0xbf], [0xe0, 0x80, 0x80], [0xed, 0xa0, 0x80], [0xf0, 0x80, 0x80, 0x80], [0xf4, 0x90, 0x80, 0x80],
            [0xf5, 0x80, 0x80, 0x80], [0xff], [0xc3], [0xe2, 0x82], [0xf0, 0x9f, 0x98],
        ] as [[UInt8]])
    func notUTF8(string: [UInt8]) {
        #expect(check([0x22] + string + [0x22]) == .badUTF8)
        #expect(check([0x22] + bytes("12345678") + string + bytes("12345678") + [0x22]) == .badUTF8)
    }

    @Test("Each position in an eight-byte step is checked", arguments: 0..<24)
    func steps(length: Int) throws {
        let padding = String(repeating: "x", count: length)
        for special in ["\\n", "é", "\\\"", "😀"] {
            #expect(check(bytes("\"\(padding)\(special)\(padding)\"")) == nil)
        }
        #expect(check(bytes("\"\(padding)\n\(padding)\"")) == .controlCharacter)
        #expect(check(bytes("\"\(padding)")) == .unexpectedEnd)
    }

    @Test("Truncated texts are refused, and a random byte never crashes the reader", arguments: 0..<20 as Range<UInt64>)
    func hostile(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let json = bytes(#"{"_id":"dé","a":[1,-2.5e3,true,null,{"b":"x\u00e9\"y"}],"long key with text":"longer text é here","z":{}}"#)
        for length in 0..<json.count { #expect(check(Array(json.prefix(length))) != nil) }
        for _ in 0..<200 {
            var changed = json
            changed[Int.random(in: changed.indices, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            if check(changed) == nil { #expect((try? JSONValue(changed)) != nil || text(changed).contains("u")) }
        }
    }

    @Test("Nesting is limited")
    func depth() {
        func nested(_ count: Int) -> [UInt8] { bytes(String(repeating: "[", count: count) + String(repeating: "]", count: count)) }
        #expect(check(nested(512)) == nil)
        #expect(check(nested(513)) == .tooDeep)
        #expect(check(nested(100_000)) == .tooDeep)
        #expect(check(bytes(#"{"a":{"b":1}}"#), maximumDepth: 1) == .tooDeep)
    }

    @Test("Values are read by kind")
    func values() throws {
        try JSONReader.read(bytes(#"["a\u00e9",-12,1.5,true,false,null,{"k":1},9223372036854775807,-9223372036854775808]"#)) { reader in
            var index = 0
            try reader.array { element in
                switch index {
                case 0: #expect(try element.string() == "aé")
                case 1: #expect(try element.int() == -12)
                case 2: #expect(try element.double() == 1.5)
                case 3: #expect(try element.bool())
                case 4: #expect(try !element.bool())
                case 5:
                    let isNull = element.isNull
                    #expect(isNull)
                    try element.null()
                case 6: #expect(text(try element.raw()) == #"{"k":1}"#)
                case 7: #expect(try element.int() == .max)
                default: #expect(try element.int() == .min)
                }
                index += 1
            }
            #expect(index == 9)
        }
    }

    @Test("A value of another type, or one that does not fit, is an error")
    func wrongTypes() throws {
        #expect(throws: JSONError(.wrongType, at: 0)) { try JSONReader.read(bytes("1")) { _ = try $0.string() } }
        #expect(throws: JSONError(.wrongType, at: 0)) { try JSONReader.read(bytes("[]")) { try $0.object { _, _ in } } }
        #expect(throws: JSONError(.notAnInteger, at: 0)) { try JSONReader.read(bytes("1.0")) { _ = try $0.int() } }
        #expect(throws: JSONError(.notAnInteger, at: 0)) { try JSONReader.read(bytes("9223372036854775808")) { _ = try $0.int() } }
        #expect(throws: JSONError(.loneSurrogate, at: 0)) { try JSONReader.read(bytes(#""\ud800x""#)) { _ = try $0.string() } }
    }

    @Test("Keys are compared by their value, escaped or not")
    func keys() throws {
        var found: [String] = []
        try JSONReader.read(bytes(#"{"\u005fid":1,"_rev":2,"é":3,"a\/b":4,"":5}"#)) { reader in
            try reader.object { key, _ in
                if key == "_id" || key == "_rev" || key == "é" || key == "a/b" || key.matches("".utf8) { found.append(try key.string()) }
                let isReserved = key.isReserved
                #expect(isReserved == (found.count <= 2))
            }
        }
        #expect(found == ["_id", "_rev", "é", "a/b", ""])
    }

    @Test("A repeated key is found, in any spelling and any number")
    func duplicates() throws {
        func check(_ json: String) -> JSONError.Code? {
            do {
                try JSONReader.read(bytes(json)) { try $0.object { _, _ in } }
                return nil
            } catch {
                return (error as? JSONError)?.code
            }
        }
        #expect(check(#"{"a":1,"a":2}"#) == .duplicateKey)
        #expect(check(#"{"a":1,"\u0061":2}"#) == .duplicateKey)
        #expect(check(#"{"\u0061":1,"b":3,"a":2}"#) == .duplicateKey)
        #expect(check(#"{"abcdefgh1":1,"abcdefgh2":2,"ab":1,"abc":2,"":0}"#) == nil)
        #expect(check(#"{"abcdefgh1":1,"x":2,"abcdefgh1":2}"#) == .duplicateKey)
        let many = (0..<100).map { "\"k\($0)\":0" }.joined(separator: ",")
        #expect(check("{\(many)}") == nil)
        #expect(check("{\(many),\"k3\":1}") == .duplicateKey)
        #expect(check("{\(many),\"k99\":1}") == .duplicateKey)
    }

    @Test("A tree is written as it was read")
    func tree() throws {
        let json = #"{"a":[1.0,1e400,12345678901234567890,"x\"y",true,false,null],"b":{},"c":[]}"#
        let value = try JSONValue(bytes(json))
        var written: [UInt8] = []
        value.append(to: &written)
        #expect(text(written) == json)
        #expect(value["a"]?.array?.count == 7)
        #expect(value["a"]?.array?[3].string == "x\"y")
        #expect(value["b"]?.members?.isEmpty == true)
        #expect(value["nothing"] == nil)
    }

    @Test("Strings are escaped where necessary, and brackets on request")
    func writer() {
        var json: [UInt8] = []
        JSONWriter.append("a\"\\/\u{8}\u{c}\n\r\t\u{1}é😀[]", to: &json)
        #expect(text(json) == #""a\"\\/\b\f\n\r\t\u0001é😀[]""#)
        json = []
        JSONWriter.append("x[y]", to: &json, escapingBrackets: true)
        #expect(text(json) == #""x\u005by\u005d""#)
        json = []
        for number in [0, 9, 10, -1, .max, .min] { JSONWriter.append(number, to: &json) }
        #expect(text(json) == "0910-1\(Int.max)\(Int.min)")
    }
}
