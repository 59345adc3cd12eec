import CJavaScriptCore

/// The answers of the harness, as far as all kinds share them.
enum Outcome {
    /// Reads an answer: a failure that the harness reports is thrown, the rest is the kind's.
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

    /// Why a source gives no function. What it throws while it is looked at is no error of a function, but of a source that is none.
    static func loadingFailure(in units: UnsafeBufferPointer<UInt16>, owner: String) -> ScriptError? {
        guard let failure = failure(in: units, owner: owner) else { return nil }
        switch failure.code {
        case .exception:
            return ScriptError(
                .compile, "the script is not a function, and fails by itself: \(failure.message)", owner: owner, line: failure.line,
                column: failure.column)
        case .badResult: return ScriptError(.compile, failure.message, owner: owner)
        default: return failure
        }
    }

    /// The failure that the harness reports, if it does.
    static func failure(in units: UnsafeBufferPointer<UInt16>, owner: String) -> ScriptError? {
        var reader = OutcomeReader(units)
        switch reader.letter() {
        case "E":
            let line = (try? reader.number()) ?? 0
            let column = (try? reader.number()) ?? 0
            // The first line is the harness's (`RealmBuilder.script`).
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

extension ScriptError {
    /// A call that the watch ended.
    init(_ verdict: Code, owner: String) {
        let message =
            switch verdict {
            case .memory: "the function was ended: it took too much memory"
            case .stopped: "the function was ended: the script engine was stopped"
            default: "the function was ended: it took too long"
            }
        self.init(verdict, message, owner: owner)
    }
}
