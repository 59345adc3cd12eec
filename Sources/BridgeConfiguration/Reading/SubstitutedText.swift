/// A text in which `${NAME}` is replaced by the value of the environment variable, with the origin of each part.
struct SubstitutedText: Sendable {
    enum Fault: Error {
        case open
        case missing(String)
    }

    private(set) var text: String

    /// The scalars of the original text.
    let original: [Unicode.Scalar]

    /// The starts of the pieces and their origins, in scalars. All of a variable's value has one origin.
    private var pieces: [(start: Int, origin: Int, isVariable: Bool)] = [(0, 0, false)]

    init(_ original: String, environment: [String: String]) throws(Fault) {
        self.original = Array(original.unicodeScalars)
        text = original
        guard original.contains("${") else { return }
        var result: [Unicode.Scalar] = []
        let scalars = self.original
        var position = 0
        var last = 0
        while position < scalars.count {
            guard scalars[position] == "$", position + 1 < scalars.count, scalars[position + 1] == "{" else {
                result.append(scalars[position])
                position += 1
                continue
            }
            let name = position + 2
            // `$${NAME}` stands for the text `${NAME}`, which JavaScript may contain.
            if position > last, scalars[position - 1] == "$" {
                pieces.append((result.count, position + 1, false))
                result.append("{")
                position = name
                last = name
                continue
            }
            guard let end = scalars[name...].firstIndex(of: "}") else { throw .open }
            let variable = Self.text(scalars[name..<end])
            guard let value = environment[variable] else { throw .missing(variable) }
            pieces.append((result.count, position, true))
            result += value.unicodeScalars
            position = end + 1
            last = position
            pieces.append((result.count, position, false))
        }
        text = Self.text(result[...])
    }

    /// The offset in the original of a scalar of the text.
    func origin(of offset: Int) -> Int {
        guard let piece = pieces.last(where: { $0.start <= offset }) else { return offset }
        return piece.isVariable ? piece.origin : piece.origin + offset - piece.start
    }

    private static func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view)
    }
}
