import Documents
import Testing

@testable import Server

@Suite("The page: elements")
struct PageElementTests {
    /// As much of a document as the page's script uses. What is set as text is text: there is no way to make markup of it.
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

    @Test("A document's ID that looks like markup is text, whatever part it stands in")
    func hostile() async throws {
        let evil = #"<img src=x onerror=\"alert(1)\">"#
        let parts = [
            #"{kind: "text", text: input, tone: ""}"#, #"{kind: "meter", label: input, value: 1, max: 2}"#,
            #"{kind: "steps", label: input, items: [{text: input, current: true, done: true}]}"#,
            #"{kind: "table", caption: input, columns: [input, input], rows: [{cells: [input, {text: input, tone: input}]}]}"#,
            #"{kind: "buttons", actions: [{label: input, key: input, path: input, question: input}]}"#,
            #"{kind: "chart", caption: input, chart: {width: 10, top: 1, first: input, last: input, label: input, bars: [{x: 0, y: 0, width: 1, height: 1, generation: input, title: input}], series: [{generation: input, name: input}]}}"#,
        ]
        let expected: Set<String> = [
            "button", "caption", "div", "li", "ol", "p", "progress", "rect", "span", "svg", "table", "tbody", "td", "th", "thead", "title",
            "tr", "ul",
        ]
        let attributes: Set<String> = [
            "aria-current", "aria-hidden", "aria-label", "class", "data-key", "data-label", "height", "max", "preserveAspectRatio", "role",
            "scope", "type", "value", "viewBox", "width", "x", "y",
        ]
        for part in parts {
            let found = try await PageScript.value("\(Self.flat)(Elements(\(Self.document), () => {}).build(\(part)))", "\"\(evil)\"")
            let names = try #require(found["names"]?.array).compactMap { $0.string }
            for name in names {
                let words = name.split(separator: " ").map(String.init)
                #expect(expected.contains(words[0]) && words.dropFirst().allSatisfy(attributes.contains), "\(name)")
            }
            #expect(found["texts"]?.array?.contains { $0.string?.contains("<img src=x onerror=\"alert(1)\">") == true } == true, "\(part)")
        }
    }

    @Test("No script has a way to make markup or programs of texts", arguments: PageFile.allCases.map(\.rawValue))
    func sinks(name: String) throws {
        let text = String(decoding: try #require(PageFile(rawValue: name)).bytes, as: UTF8.self)
        for sink in [
            "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "DOMParser",
            "createContextualFragment",
            "setHTML", "srcdoc", "javascript:", "onclick=", "onerror=", "style=", "http://", "https://",
        ] {
            // The name of SVG's language is a name, and nothing is asked there.
            let rest = text.replacing("http://www.w3.org/2000/svg", with: "")
            #expect(!rest.contains(sink), "\(name): \(sink)")
        }
    }
}
