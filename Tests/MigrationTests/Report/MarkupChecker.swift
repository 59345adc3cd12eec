/// Parses markup as strictly as XML: every element closed in order, every attribute quoted and unique, and no `<` or stray `&` in texts.
struct MarkupChecker {
    struct Fault: Error, CustomStringConvertible {
        let description: String
    }

    /// All elements, in order.
    private(set) var elements: [String] = []

    /// Values of attributes, by element and name.
    private(set) var attributes: [(element: String, name: String, value: String)] = []

    /// The text outside of tags, with references replaced.
    private(set) var text = ""

    private var rest: Substring

    init(_ html: String) throws {
        rest = html[...]
        guard rest.hasPrefix("<!DOCTYPE html>\n") else { throw Fault(description: "no doctype") }
        rest = rest.dropFirst("<!DOCTYPE html>\n".count)
        var open: [String] = []
        while let next = rest.first {
            if next != "<" {
                text += try unescaped(take { $0 != "<" })
            } else if rest.hasPrefix("</") {
                rest = rest.dropFirst(2)
                let name = take { $0 != ">" }
                guard open.popLast() == name else { throw Fault(description: "</\(name)> closes something else") }
                rest = rest.dropFirst()
            } else {
                try readStart(&open)
            }
        }
        guard open.isEmpty else { throw Fault(description: "not closed: \(open)") }
    }

    private mutating func readStart(_ open: inout [String]) throws {
        rest = rest.dropFirst()
        let name = take { $0.isASCII && ($0.isLetter || $0.isNumber) }
        guard !name.isEmpty else { throw Fault(description: "a stray < before \(rest.prefix(20))") }
        elements.append(name)
        var seen: Set<String> = []
        while rest.first == " " {
            rest = rest.dropFirst()
            if rest.hasPrefix("/>") {
                rest = rest.dropFirst(2)
                return
            }
            let attribute = take { $0 != "=" }
            guard rest.hasPrefix("=\""), !attribute.contains(" "), seen.insert(attribute).inserted else {
                throw Fault(description: "the attribute \(attribute) of \(name)")
            }
            rest = rest.dropFirst(2)
            attributes.append((name, attribute, try unescaped(take { $0 != "\"" })))
            rest = rest.dropFirst()
        }
        guard rest.first == ">" else { throw Fault(description: "<\(name) is not ended") }
        rest = rest.dropFirst()
        open.append(name)
    }

    private mutating func take(while condition: (Character) -> Bool) -> String {
        let taken = rest.prefix(while: condition)
        rest = rest[taken.endIndex...]
        return String(taken)
    }

    private func unescaped(_ raw: String) throws -> String {
        var parts = raw.split(separator: "&", omittingEmptySubsequences: false)
        var result = String(parts.removeFirst())
        guard !raw.contains("<") else { throw Fault(description: "a < in a text") }
        for part in parts {
            let known = ["amp;": "&", "lt;": "<", "gt;": ">", "quot;": "\"", "#39;": "'"]
            guard let (reference, character) = known.first(where: { part.hasPrefix($0.key) }) else {
                throw Fault(description: "a stray & before \(part.prefix(20))")
            }
            result += character + part.dropFirst(reference.count)
        }
        return result
    }
}
