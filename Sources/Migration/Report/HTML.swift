/// HTML markup. Text is always escaped, so that document IDs cannot inject tags.
///
/// The markup is also well-formed XML: every element is closed, every attribute quoted.
struct HTML {
    private(set) var markup: String

    private init(markup: String) {
        self.markup = markup
    }

    /// Escaped text. Invisible characters are shown as their code points.
    init(_ text: String, limit: Int = 300) {
        markup = Self.escaped(ReportFormat.plain(text, limit: limit))
    }

    /// An element.
    init(_ name: StaticString, _ attributes: KeyValuePairs<StaticString, String>, _ content: [HTML]) {
        markup = "\(Self.start(name, attributes))>" + content.map(\.markup).joined() + "</\(name)>"
    }

    /// An element that contains text.
    init(_ name: StaticString, _ attributes: KeyValuePairs<StaticString, String>, _ text: String) {
        self.init(name, attributes, [HTML(text)])
    }

    init(_ name: StaticString, _ content: [HTML]) {
        self.init(name, [:], content)
    }

    init(_ name: StaticString, _ text: String) {
        self.init(name, [:], [HTML(text)])
    }

    /// An empty element, such as `meta`.
    static func void(_ name: StaticString, _ attributes: KeyValuePairs<StaticString, String>) -> HTML {
        HTML(markup: "\(start(name, attributes)) />")
    }

    /// Literal markup of the program.
    static func literal(_ markup: StaticString) -> HTML {
        HTML(markup: "\(markup)")
    }

    private static func start(_ name: StaticString, _ attributes: KeyValuePairs<StaticString, String>) -> String {
        attributes.reduce("<\(name)") { "\($0) \($1.key)=\"\(escaped(ReportFormat.plain($1.value, limit: 100_000)))\"" }
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
