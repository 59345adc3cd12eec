import CJavaScriptCore

/// The outcomes of the harness that all kinds share.
enum Outcome {
    /// Reads an outcome: throws the failures of the harness, and decodes others with `decode`.
    static func read<Output>(
        _ text: JSStringRef, owner: String, decode: (inout OutcomeReader) throws(OutcomeError) -> Output
    ) throws(ScriptError) -> Output {
        let units = UnsafeBufferPointer(start: JSStringGetCharactersPtr(text), count: JSStringGetLength(text))
        if let error = failure(in: units, owner: owner) { throw error }
        var reader = OutcomeReader(units)
        do {
            return try decode(&reader)
        } catch {
            switch error {
            case .unknown: throw ScriptError(.badResult, "the function's result could not be read", owner: owner)
            case .refused(let reason): throw ScriptError(.badResult, reason, owner: owner)
            }
        }
    }

    /// The error of a source whose value is not a function. An exception during its evaluation is a compile error.
    static func loadingFailure(in units: UnsafeBufferPointer<UInt16>, owner: String) -> ScriptError? {
        guard let failure = failure(in: units, owner: owner) else { return nil }
        switch failure.code {
        case .exception:
            return ScriptError(
                .compile, "the script is not a function, and fails by itself: \(failure.message)", owner: owner, line: failure.line,
                column: failure.column)
        case .badResult: return ScriptError(.compile, failure.message, owner: owner)
        case .timeout, .memory, .compile, .badArgument, .tooLarge, .busy, .stopped: return failure
        }
    }

    /// The failure in an outcome; `nil` if it is not one.
    static func failure(in units: UnsafeBufferPointer<UInt16>, owner: String) -> ScriptError? {
        var reader = OutcomeReader(units)
        switch reader.letter() {
        case "E":
            let line = (try? reader.number()) ?? 0
            let column = (try? reader.number()) ?? 0
            // `RealmBuilder.script` adds a line before the source.
            return ScriptError(
                .exception, reader.rest(), owner: owner, line: line > 1 ? line - 1 : nil,
                column: line > 1 && column > 0 ? column : nil)
        case "B":
            return ScriptError(.badResult, reader.rest(), owner: owner)
        case "M":
            return ScriptError(.memory, reader.rest(), owner: owner)
        case "L":
            return ScriptError(.tooLarge, "the result is over the limit", owner: owner)
        default:
            return nil
        }
    }
}

/// Reads an outcome of the harness (``Harness``), in place.
struct OutcomeReader {
    /// One field of a sync function's outcome.
    struct Field {
        let letter: Unicode.Scalar
        let text: String
    }

    private let units: UnsafeBufferPointer<UInt16>
    private var position = 0

    /// The units must outlive the reader.
    init(_ units: UnsafeBufferPointer<UInt16>) {
        self.units = units
    }

    /// The next unit as a letter, NUL at the end.
    mutating func letter() -> Unicode.Scalar {
        guard position < units.count else { return "\0" }
        defer { position += 1 }
        return Unicode.Scalar(units[position]) ?? "\0"
    }

    /// The remaining text.
    mutating func rest() -> String {
        text(units.count - position)
    }

    /// A decimal number and the `:` after it.
    mutating func number() throws(OutcomeError) -> Int {
        var number = 0
        while position < units.count {
            let unit = units[position]
            position += 1
            if unit == 0x3A { return number }
            guard (0x30...0x39).contains(unit), number < 1 << 40 else { break }
            number = number * 10 + Int(unit - 0x30)
        }
        throw .unknown
    }

    /// The next field; nil at the end.
    mutating func field() throws(OutcomeError) -> Field? {
        guard position < units.count else { return nil }
        let letter = letter()
        let count = try number()
        guard count <= units.count - position else { throw .unknown }
        return Field(letter: letter, text: text(count))
    }

    /// The outcome of a predicate.
    mutating func truth() throws(OutcomeError) -> Bool {
        switch letter() {
        case "1": return true
        case "0": return false
        default: throw .unknown
        }
    }

    /// The next units as text; unpaired surrogates are replaced. Most text is ASCII, which needs no transcoding.
    private mutating func text(_ count: Int) -> String {
        let part = UnsafeBufferPointer(rebasing: units[position..<position + count])
        position += count
        guard part.allSatisfy({ $0 < 0x80 }) else { return String(decoding: part, as: UTF16.self) }
        return String(unsafeUninitializedCapacity: count) { buffer in
            for index in 0..<count { buffer[index] = UInt8(truncatingIfNeeded: part[index]) }
            return count
        }
    }
}

/// Error of an invalid outcome.
enum OutcomeError: Error {
    /// The outcome does not have the kind's format.
    case unknown
    /// The content is invalid; the value is the reason.
    case refused(String)
}
