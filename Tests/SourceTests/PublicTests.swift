import Foundation
import Testing

/// What is public, an app can use: three products, and the types of lower modules in their signatures.
@Suite("Public declarations")
struct PublicTests {
    /// A declaration that other packages can use.
    private struct Declaration: Equatable {
        /// From 1.
        let line: Int
        let code: String
        let isDocumented: Bool
    }

    private static let products = ["LocalStore", "LegacyClient", "ModernClient"]

    /// The files with types of lower modules in the products' signatures. The products' files `Exports.swift` have the types.
    private static let lower = [
        "Sources/Documents/JSON/JSONValue.swift", "Sources/Documents/Revisions/RevisionID.swift",
        "Sources/Gateway/Collections/CollectionName.swift", "Sources/HTTP/WebSocketClient/OutboundProxy.swift",
        "Sources/ModernProtocol/Connection/BLIPSession.swift", "Sources/ModernProtocol/Connection/Subprotocol.swift",
    ]

    /// Declarations that are public for the compiler alone, which inlines no others into other modules.
    private static let inlined = ["Sources/Coordination/Lock.swift"]

    private static let declarations: [(file: String, declarations: [Declaration])] = SourceFile.all(in: "Sources").map {
        ($0.path, declarations(in: $0.lines))
    }

    @Test("Each has a comment with its meaning")
    func documentation() {
        #expect(Self.declarations.map(\.declarations.count).reduce(0, +) > 300)
        for (file, declarations) in Self.declarations {
            for declaration in declarations where !declaration.isDocumented {
                Issue.record("\(file):\(declaration.line): \(declaration.code) has no comment")
            }
        }
    }

    @Test("They stand in the products and in the files of the types that the products export")
    func places() {
        let files = Self.declarations.filter { !$0.declarations.isEmpty }.map(\.file)
        for file in files where !Self.lower.contains(file) && !Self.inlined.contains(file) {
            #expect(Self.products.contains { file.hasPrefix("Sources/\($0)/") }, "\(file) has public declarations")
        }
        for file in Self.lower { #expect(files.contains(file), "\(file) has no public declaration any more") }
    }

    @Test("Declarations are found with attributes, in enumerations, and not in bodies")
    func found() {
        let text = """
            public import A
            /// A.
            @discardableResult
            public func a() {}
            public enum B {
                /// C.
                case c
                case d(Int)
                func e() {
                    switch self {
                    case .c: break
                    }
                }
            }
            enum F {
                case g
                nonisolated public var h: Int { 1 }
            }
            """
        let found = Self.declarations(in: text.split(separator: "\n", omittingEmptySubsequences: false))
        #expect(found.map(\.line) == [4, 5, 7, 8, 17])
        #expect(found.map(\.isDocumented) == [true, false, true, false, false])
    }

    /// The public declarations of a file, and the cases of its public enumerations.
    private static func declarations(in lines: [Substring]) -> [Declaration] {
        var found: [Declaration] = []
        /// The indentation of the public enumeration around the line, if there is one.
        var enumeration: Int?
        for (index, line) in lines.enumerated() {
            let code = line.drop { $0 == " " }
            let indentation = line.count - code.count
            if let outer = enumeration, indentation <= outer, !code.isEmpty { enumeration = nil }
            let isCase = enumeration == indentation - 4 && code.hasPrefix("case ")
            let isPublic = !code.hasPrefix("//") && code.prefixMatch(of: /(?:@\w+ |[a-z]+ )*?public (?!import)/) != nil
            guard isCase || isPublic else { continue }
            let above = lines[..<index].last { !$0.drop { $0 == " " }.hasPrefix("@") }?.drop { $0 == " " } ?? ""
            found.append(Declaration(line: index + 1, code: String(code), isDocumented: above.hasPrefix("///")))
            if isPublic, code.contains(/public (?:indirect )?enum\b/) { enumeration = indentation }
        }
        return found
    }
}
