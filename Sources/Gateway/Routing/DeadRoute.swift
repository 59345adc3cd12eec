/// A route that no document can match, as far as the routes alone show.
package struct DeadRoute: Hashable, Sendable {
    package enum Reason: Hashable, Sendable {
        /// An earlier route matches all documents of this one, because its condition is the same or wider. The index of that route, from 0.
        case shadowed(by: Int)
        /// No document matches the condition, for this reason.
        case impossible(String)
    }

    /// The route's index in the list, from 0.
    package let index: Int
    package let reason: Reason
}

extension RouteTable {
    /// The routes that no document can match, in their order. JavaScript and most regular expressions are not analysed, so there may be more.
    package static func deadRoutes(in routes: [Route]) -> [DeadRoute] {
        let reaches = routes.map { RouteReach($0.condition) }
        return routes.indices.compactMap { index in
            if let reason = reaches[index].impossibility { return DeadRoute(index: index, reason: .impossible(reason)) }
            let earlier = (0..<index).first { earlier in
                routes[earlier].condition == routes[index].condition || reaches[earlier].contains(reaches[index])
            }
            return earlier.map { DeadRoute(index: index, reason: .shadowed(by: $0)) }
        }
    }
}

/// The set of documents that a condition matches, as far as the condition alone shows.
struct RouteReach {
    private enum Extent {
        /// All documents.
        case everything
        /// Exactly the documents whose IDs begin with this text.
        case prefix(String)
        /// A subset of the documents whose IDs begin with this text; an empty text is no restriction.
        case within(String)
    }

    private let extent: Extent

    init(_ condition: RouteCondition) {
        switch condition {
        case .idPrefix(let prefix): extent = .prefix(prefix)
        case .idPattern(let pattern): extent = Self.extent(ofPattern: pattern)
        case .javaScript(let source): extent = Self.isAlwaysTrue(source) ? .everything : .within("")
        case .property, .channel: extent = .within("")
        }
    }

    /// Whether this condition matches every document of the other.
    func contains(_ other: RouteReach) -> Bool {
        switch (extent, other.extent) {
        case (.everything, _): true
        case (.prefix(let prefix), .prefix(let text)), (.prefix(let prefix), .within(let text)): text.utf8.starts(with: prefix.utf8)
        default: false
        }
    }

    /// Why no document can match the condition; `nil` if some may.
    var impossibility: String? {
        switch extent {
        case .prefix(let text), .within(let text):
            text.utf8.first == UInt8(ascii: "_") ? "no document that routes place has an ID that begins with `_`" : nil
        case .everything: nil
        }
    }

    private static let catchAll: Set<String> = ["", "^", "$", "^$|.", ".", ".*", ".+", "^.", "^.*", "^.+", "^.*$", "^.+$", ".*$", ".+$"]

    private static func extent(ofPattern pattern: String) -> Extent {
        if catchAll.contains(pattern) { return .everything }
        guard pattern.hasPrefix("^"), !pattern.contains("|") else { return .within("") }
        let (literal, rest) = literal(of: pattern.dropFirst())
        guard !literal.isEmpty else { return .within("") }
        return ["", ".*", ".*$"].contains(rest) ? .prefix(literal) : .within(literal)
    }

    /// The literal characters at the start of a pattern, and the rest of the pattern.
    private static func literal(of pattern: Substring) -> (String, Substring) {
        var literal = ""
        var rest = pattern
        while let first = rest.first {
            var next = rest.dropFirst()
            var letter = first
            if first == "\\" {
                guard let escaped = next.first, !escaped.isLetter, !escaped.isNumber else { break }
                letter = escaped
                next = next.dropFirst()
            } else if "^$.[](){}*+?".contains(first) {
                break
            }
            // A character with a quantifier may be missing or repeated, so it ends the literal.
            if let quantifier = next.first, "*+?{".contains(quantifier) { break }
            literal.append(letter)
            rest = next
        }
        return (literal, rest)
    }

    /// Whether the source is only a function that returns true.
    private static func isAlwaysTrue(_ source: String) -> Bool {
        let words = source.filter { !$0.isWhitespace && $0 != ";" && $0 != "`" }
        return words.wholeMatch(of: /\(?function\w*\([\w,]*\)\{returntrue\}\)?/) != nil
            || words.wholeMatch(of: /\(?(\w+|\([\w,]*\))=>(true|\{returntrue\})\)?/) != nil
    }
}
