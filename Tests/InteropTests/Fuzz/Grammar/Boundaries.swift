/// Values at the boundaries of valid inputs, and beyond: the source of all damaged values.
enum Boundaries {
    static let numbers = [
        "0", "-0", "1", "-1", "2", "100", "127", "128", "255", "256", "32767", "32768", "65535", "65536", "-65536", "2147483647",
        "2147483648",
        "-2147483648", "-2147483649", "4294967295", "4294967296", "1099511627775", "1099511627777", "9007199254740991", "9007199254740992",
        "9007199254740993", "9223372036854775806", "9223372036854775807", "9223372036854775808", "-9223372036854775807",
        "-9223372036854775808", "-9223372036854775809", "18446744073709551615", "18446744073709551616", "99999999999999999999999999", "1e0",
        "1e3", "1E400", "-1e400", "1e-400", "9.3e18", "1e19", "1.0", "1.5", "0.1", "-0.0", ".5", "5.", "00", "01", "+1", "0x10", "1_000",
        "٣",
        "NaN", "Infinity", "-Infinity", " 1", "1 ", "", "null", "true", "-", "--1", "1,2", "1:2",
    ]

    /// Numbers that overflow first, also in sums and products.
    static let extremes = [
        "9223372036854775807", "9223372036854775806", "-9223372036854775808", "9223372036854775808", "18446744073709551615", "4294967296",
        "2147483648", "-1", "0", "1", "9007199254740993", "65536",
    ]

    static let texts: [[UInt8]] =
        [
            "", " ", "\u{0}", "a\u{0}b", "\u{1}", "\u{7f}", "\r\n", "\n", "\t", "\u{e9}", "e\u{301}", "\u{feff}", "\u{202e}", "\u{2028}",
            "\u{1f600}", "\u{ffff}", "\u{fffd}", "\u{10ffff}", "_", "_x", "_design/x", "_design/", "_local/x", "_sync:user:anna", "..", ".",
            "/",
            "//", "a/b", "%", "%00", "%2e%2e", "'", "\"", "\\", "'; --", "*", "!", ":", ",", ";", "&", "=", "#", "?", "[", "{", "<b>",
            "${x}",
            "{{x}}", "true", "null", "0", "1-a", "now", "GUEST", "constructor", "__proto__", "toString",
        ].map { Array($0.utf8) } + unfit + [10, 239, 241, 250, 251, 256, 4_096, 20_000].map { [UInt8](repeating: 0x78, count: $0) }

    /// Bytes that are not UTF-8: alone, cut off, too long, a surrogate, beyond the last character.
    static let unfit: [[UInt8]] = [
        [0xff], [0x80], [0xc3], [0xc3, 0x28], [0xc0, 0xaf], [0xe0, 0x80, 0xaf], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xf0, 0x9f],
        [0xfe, 0xff, 0x00, 0x41],
    ]

    /// Path segments, as sent.
    static let segments =
        [
            "", ".", "..", "%2e", "%2e%2e", "%2F..", "%2f", "..%2f..%2f", "%5c..", "%00", "x%00y", "%", "%2", "%zz", "%u0041", "%25",
            "%252e%252e",
            "%c0%af", "%ff", "%ed%a0%80", "%f0%9f%98%80", "e%cc%81", "%0d%0aX:%20y", "a%20b", "+", "~", "a;b", "a:b", "@", "*", "!", "[x]",
            "{x}",
            "_design", "_local", "_user", "_config", "_session", "_blipsync", "_changes", "_all_docs", "_raw", "_%64esign", "%5fuser",
            "_sync:x", "shop", "-", "_",
        ] + [String(repeating: "x", count: 251), String(repeating: "%41", count: 2_000), String(repeating: "/", count: 600)]

    /// JSON values, and texts that are nearly JSON.
    static let json =
        [
            "null", "true", "false", "0", "-1", "\"\"", "{}", "[]", "[[]]", "[null]", "{\"\":null}", "\"x\"", "{\"a\":1,\"a\":2}",
            "{\"_id\":1}",
            "[1,2", "{\"a\":", "{\"a\"", "{a:1}", "'x'", "[1,]", "{,}", "[}", "]", "nul", "TRUE", "\u{feff}{}", "{}{}", "// x\n1",
            "\"\\ud800\"", "\"\\udc00\\ud800\"", "\"\\u0000\"", "\"\\x\"", "\"\\u12\"", "\"open", "\"\u{1}\"", "\"\u{0}\"",
            "\"\\ud83d\\ude00\"",
            "{\"\\u005fid\":\"x\"}", "{\"_rev\":{}}", "{\"_attachments\":7}",
            "{\"_revisions\":{\"start\":9223372036854775807,\"ids\":[\"a\"]}}",
            "{\"__proto__\":{}}", "",
        ]
        + [100, 511, 512, 513, 600, 20_000].map { String(repeating: "[", count: $0) + String(repeating: "]", count: $0) }
        + [600].map { String(repeating: "{\"a\":", count: $0) + "1" + String(repeating: "}", count: $0) }
        + [
            String(repeating: "[", count: 50_000), "[" + String(repeating: "0,", count: 20_000) + "0]",
            "\"" + String(repeating: "é", count: 9_000) + "\"",
        ]

    /// Texts that replace a value of a kind: invalid ones, and the last valid ones.
    static func values(of kind: Knowledge.Kind) -> [String] {
        switch kind {
        case .revision:
            [
                "0-a", "1-", "-", "1", "-1-a", "01-a", "+1-a", "1-a-b", "1-%", "1-é", "2147483647-a", "2147483648-a", "9007199254740993-a",
                "9223372036854775806-a", "9223372036854775807-a", "9223372036854775808-a", "18446744073709551615-a",
                "18446744073709551616-a",
                "1-" + String(repeating: "f", count: 1_000), "5@*", "0-0", "1-a,1-a",
            ]
        case .sequence:
            [
                "1:2", "1::3", "::", ":", "1:2:3:4", "a:b", "[1,2]", "\"5\"", "\"1:2\"", "now", "0:1000000034", "0:9223372036854775807",
                "12-g1AAAA",
            ]
                + numbers
        case .digest:
            [
                "sha1-", "md5-", "sha256-x", "sha1-====", "sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA=", "md5-AAAAAAAAAAAAAAAAAAAAAA==", "sha1",
                "SHA1-x", "-",
            ]
        case .version:
            [
                "@", "0@", "@A", "0@*", "1@BOA02SKaSYC0d/vOEWw0Ew", "ffffffffffffffff@BOA02SKaSYC0d/vOEWw0Ew",
                "7fffffffffffffff@BOA02SKaSYC0d/vOEWw0Ew", "10000000000000000@BOA02SKaSYC0d/vOEWw0Ew", "1@x", ";", ",",
                "1@BOA02SKaSYC0d/vOEWw0Ew, 1@BOA02SKaSYC0d/vOEWw0Ew", "1@BOA02SKaSYC0d/vOEWw0Ew; 2@BOA02SKaSYC0d/vOEWw0Ew",
            ]
        case .remote:
            // Only of this machine: no traffic of a run leaves it.
            [
                "", "http://", "http://127.0.0.1:", "http://127.0.0.1:0/x", "http://127.0.0.1:-1/x", "http://[", "http://[::1]:1/x",
                "ftp://127.0.0.1/x",
            ]
                + ["65535", "65536", "99999", "9223372036854775808", "1e3"].flatMap {
                    ["http://127.0.0.1:\($0)/x", "ws://127.0.0.1:\($0)/x"]
                }
        case .collection:
            [
                "", ".", "..", "a.b.c", "_default", "_default._default", "_default.", "._default", "_x.y", "a.b", "sales.orders",
                "sales.nowhere", "é.é",
            ]
        default: []
        }
    }
}
