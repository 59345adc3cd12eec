/// A route that no document can take, as far as the routes alone tell.
public struct DeadRoute: Hashable, Sendable {
    public enum Reason: Hashable, Sendable {
        /// An earlier route takes every document that this one would, because its condition is the same or wider. Its place, from 0.
        case shadowed(by: Int)
        /// No document meets the condition, for this reason.
        case impossible(String)
    }

    /// The route's place in the list, from 0.
    public let index: Int
    public let reason: Reason
}

extension RouteTable {
    /// The routes that no document can take, in their order. JavaScript and most regular expressions are not looked into, so that
    /// there may be more.
    public static func deadRoutes(in routes: [Route]) -> [DeadRoute] {
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

/// What can be told of the documents that a condition takes without looking at them.
struct RouteReach {
    private enum Extent {
        /// All documents.
        case everything
        /// All documents whose IDs begin so, and no others.
        case prefix(String)
        /// Some of the documents whose IDs begin so; an empty text says nothing.
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

    /// Whether every document that the other takes is taken by this one, too.
    func contains(_ other: RouteReach) -> Bool {
        switch (extent, other.extent) {
        case (.everything, _): true
        case (.prefix(let prefix), .prefix(let text)), (.prefix(let prefix), .within(let text)): text.utf8.starts(with: prefix.utf8)
        default: false
        }
    }

    /// Why no document can meet the condition; `nil` if one might.
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

    /// The letters that a pattern begins with and that stand for themselves, and the pattern behind them.
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
            // A letter that may be missing, or come again, is none to rely on.
            if let quantifier = next.first, "*+?{".contains(quantifier) { break }
            literal.append(letter)
            rest = next
        }
        return (literal, rest)
    }

    /// Whether the source is nothing but a function that returns true.
    private static func isAlwaysTrue(_ source: String) -> Bool {
        let words = source.filter { !$0.isWhitespace && $0 != ";" && $0 != "`" }
        return words.wholeMatch(of: /\(?function\w*\([\w,]*\)\{returntrue\}\)?/) != nil
            || words.wholeMatch(of: /\(?(\w+|\([\w,]*\))=>(true|\{returntrue\})\)?/) != nil
    }
}
