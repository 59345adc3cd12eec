import Documents
import Testing

@testable import AdminPage
@testable import BridgeConfiguration
@testable import Server

@Suite("The page: elements")
struct PageElementTests {
    /// The part of the DOM that the page's script uses. Text is set as text only: there is no function that parses markup.
    private static let document = """
        (() => {
            const make = name => ({
                name, attributes: {}, children: [], textContent: "",
                setAttribute(key, value) { this.attributes[key] = String(value) },
                append(...children) { this.children.push(...children) },
                addEventListener() {},
            });
            return { createElement: make, createElementNS: (_, name) => make(name) };
        })()
        """

    private static var builder: String { "Elements.builder(\(document), () => {}, new Set())" }

    /// The names of all elements, with those of their attributes, and all texts.
    private static let flat = """
        (found => {
            const names = new Set(), texts = [];
            const visit = one => {
                if (typeof one === "string") { texts.push(one); return }
                names.add(one.name);
                for (const key of Object.keys(one.attributes)) names.add(one.name + " " + key);
                texts.push(one.textContent, ...Object.values(one.attributes));
                one.children.forEach(visit);
            };
            visit(found);
            return { names: [...names].sort(), texts };
        })
        """

    @Test("A document's ID that looks like markup stays text, in every element")
    func hostile() async throws {
        let evil = #"<img src=x onerror=\"alert(1)\">"#
        let parts: [String] = [
            #"{kind: "text", text: input, tone: ""}"#, #"{kind: "meter", label: input, value: 1, max: 2}"#,
            """
            {kind: "line", cells: [{href: "x", text: input}, {code: input}, {revision: input}, {text: input, tone: input, title: input}]}
            """,
            #"{kind: "heading", text: input, id: "x"}"#, #"{kind: "facts", rows: [[input, [input]]]}"#,
            #"{kind: "tiles", items: [{value: input, text: input, tone: input}]}"#,
            #"{kind: "steps", label: input, items: [{text: input, current: true, done: true}]}"#,
            """
            {kind: "checks", items: [
                {title: input, state: "bad", word: input, detail: [input], measured: input, todo: input, why: [input]}]}
            """,
            #"{kind: "table", caption: input, columns: [input, input], rows: [{cells: [input, {text: input, tone: input}]}]}"#,
            #"{kind: "buttons", actions: [{label: input, key: input, path: input, question: input}]}"#,
            #"{kind: "fold", key: input, summary: input, parts: [{kind: "text", text: input}]}"#,
            """
            {kind: "compare", items: [
                {title: input, lines: [{text: input, differs: true}], actions: []}, {title: input, missing: input, actions: []}]}
            """,
            """
            {kind: "drawing", label: input, layouts: [
                {name: "wide", width: 1, height: 1, shapes: [["text", {x: 1, y: 1, class: "name"}, input]]}]}
            """,
            """
            {kind: "chart", caption: input, chart: {
                width: 10, top: 1, half: input, dates: [input], label: input, marks: [{x: 0, title: input}],
                bars: [{x: 0, y: 0, width: 1, height: 1, generation: input, title: input}], series: [{generation: input, name: input}]}}
            """,
        ]
        let expected: Set<String> = [
            "a", "button", "caption", "code", "dd", "details", "div", "dl", "dt", "figcaption", "figure", "h3", "li", "mark", "ol", "p",
            "path",
            "pre", "progress", "rect", "section", "span", "strong", "summary", "svg", "table", "tbody", "td", "text", "th", "thead",
            "title",
            "tr", "ul",
        ]
        let attributes: Set<String> = [
            "aria-current", "aria-expanded", "aria-hidden", "aria-label", "class", "d", "data-key", "data-label", "height", "href", "id",
            "max",
            "preserveAspectRatio", "role", "scope", "tabindex", "title", "type", "value", "viewBox", "width", "x", "y",
        ]
        for part in parts {
            let found = try await PageScript.value("\(Self.flat)(\(Self.builder).build(\(part)))", "\"\(evil)\"")
            let names = try #require(found["names"]?.array).compactMap { $0.string }
            for name in names {
                let words = name.split(separator: " ").map(String.init)
                #expect(expected.contains(words[0]) && words.dropFirst().allSatisfy(attributes.contains), "\(name)")
            }
            #expect(found["texts"]?.array?.contains { $0.string?.contains("<img src=x onerror=\"alert(1)\">") == true } == true, "\(part)")
        }
    }

    @Test("Only the beginning of a revision's ID is shown; an open fold stays open after a refresh")
    func revisions() async throws {
        let cases: [(String, String)] = [
            (#"build({kind: "line", cells: [{revision: "1-d6667848d9d23886"}]}).children[0].textContent"#, #""1-d6667848d…""#),
            (#"build({kind: "line", cells: [{revision: "1-d6667848d9d23886"}]}).children[0].attributes.title"#, #""1-d6667848d9d23886""#),
            (#"build({kind: "line", cells: [{revision: "2-bb"}]}).children[0].name"#, #""code""#),
            (#"build({kind: "fold", key: "a", summary: "s", parts: []}).attributes.open === undefined"#, #"true"#),
        ]
        for (expression, expected) in cases {
            #expect(try await PageScript.json("\(Self.builder).\(expression)") == expected, "\(expression)")
        }
    }

    @Test("No script can turn text into markup or code", arguments: PageFile.allCases.map(\.rawValue))
    func sinks(name: String) throws {
        let text = String(decoding: try #require(PageFile(rawValue: name)).bytes, as: UTF8.self)
        for sink in [
            "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "DOMParser",
            "createContextualFragment",
            "setHTML", "srcdoc", "javascript:", "onclick=", "onerror=", "style=", "http://", "https://",
        ] {
            // The namespace URL of SVG is a name; no request is sent to it.
            let rest = text.replacing("http://www.w3.org/2000/svg", with: "")
            #expect(!rest.contains(sink), "\(name): \(sink)")
        }
    }
}
