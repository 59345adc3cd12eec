/// Finds the calls in a JavaScript function whose arguments are string literals. This is not a parser: it treats all other syntax as unknown.
struct ScriptCalls {
    private enum Token: Equatable {
        case word(String)
        case text(String)
        case sign(Character)
    }

    /// The tokens; `nil` if the source has syntax that the tokenizer does not recognise.
    private let tokens: [Token]?

    init(_ source: String) {
        tokens = Self.tokens(of: Array(source))
    }

    /// The string literals in all calls of a function with this name: single arguments and items of lists.
    ///
    /// - Parameter argument: the index of the argument, from 0; `nil` for all arguments.
    /// - Returns: `nil` if an argument is not a string literal, so that its value is unknown.
    func texts(of name: String, argument: Int?) -> Set<String>? {
        guard let tokens else { return nil }
        var texts: Set<String> = []
        for index in tokens.indices where tokens[index] == .word(name) {
            // A property with this name is another function. Other uses of the name may be calls under an alias.
            if index > 0, tokens[index - 1] == .sign(".") { continue }
            guard index + 1 < tokens.count, tokens[index + 1] == .sign("("), index == 0 || tokens[index - 1] != .word("function"),
                let arguments = Self.arguments(tokens[(index + 2)...])
            else { return nil }
            for (place, tokens) in arguments.enumerated() where argument == nil || argument == place {
                guard let more = Self.plainTexts(tokens) else { return nil }
                texts.formUnion(more)
            }
        }
        return texts
    }

    /// The arguments of a call, up to the closing parenthesis.
    private static func arguments(_ tokens: ArraySlice<Token>) -> [[Token]]? {
        var arguments: [[Token]] = [[]]
        var depth = 0
        for token in tokens {
            if case .sign(let sign) = token {
                if sign == ")", depth == 0 { return arguments == [[]] ? [] : arguments }
                if sign == ",", depth == 0 {
                    arguments.append([])
                    continue
                }
                if "([{".contains(sign) { depth += 1 }
                if ")]}".contains(sign) { depth -= 1 }
            }
            arguments[arguments.count - 1].append(token)
        }
        return nil
    }

    private static func plainTexts(_ argument: [Token]) -> [String]? {
        if argument.count == 1, case .text(let text) = argument[0] { return [text] }
        guard argument.first == .sign("["), argument.last == .sign("]") else { return nil }
        var texts: [String] = []
        for (place, token) in argument.dropFirst().dropLast().enumerated() {
            switch token {
            case .text(let text) where place.isMultiple(of: 2): texts.append(text)
            case .sign(",") where !place.isMultiple(of: 2): continue
            default: return nil
            }
        }
        return texts
    }

    private static func tokens(of letters: [Character]) -> [Token]? {
        var tokens: [Token] = []
        var place = 0
        while place < letters.count {
            let letter = letters[place]
            let next = place + 1 < letters.count ? letters[place + 1] : " "
            if letter == "/", next == "/" {
                place = letters[place...].firstIndex(where: \.isNewline) ?? letters.count
            } else if letter == "/", next == "*" {
                place += 2
                while place < letters.count, letters[place - 1] != "*" || letters[place] != "/" { place += 1 }
                place += 1
            } else if letter == "/" {
                // A slash after a value is a division; elsewhere it starts a regular expression, which may contain quotes.
                switch tokens.last {
                case .word, .text, .sign(")"), .sign("]"): tokens.append(.sign("/"))
                default: return nil
                }
                place += 1
            } else if letter == "\"" || letter == "'" {
                guard let (text, end) = text(letters, from: place) else { return nil }
                tokens.append(.text(text))
                place = end
            } else if letter == "`" {
                return nil
            } else if letter.isLetter || letter.isNumber || letter == "_" || letter == "$" {
                let end = letters[place...].firstIndex { !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "$" } ?? letters.count
                tokens.append(.word(String(letters[place..<end])))
                place = end
            } else {
                if !letter.isWhitespace { tokens.append(.sign(letter)) }
                place += 1
            }
        }
        return tokens
    }

    /// A string literal and its end; `nil` if it has escapes or is not terminated.
    private static func text(_ letters: [Character], from start: Int) -> (String, Int)? {
        guard let end = letters[(start + 1)...].firstIndex(of: letters[start]) else { return nil }
        let text = String(letters[(start + 1)..<end])
        return text.contains("\\") || text.contains(where: \.isNewline) ? nil : (text, end + 1)
    }
}
