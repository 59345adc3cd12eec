import Scripting

/// An engine of one worker with short limits, stopped afterwards.
func withEngine<R>(
    workers: Int = 1, _ adjust: (inout ScriptLimits) -> Void = { _ in }, _ body: (ScriptEngine) async throws -> R
) async throws -> R {
    var limits = ScriptLimits()
    limits.timeLimit = .milliseconds(100)
    // Tests count compilations, and a busy machine may leave a worker idle for long.
    limits.idleTime = .seconds(3_600)
    limits.batchTimeLimit = .seconds(3_600)
    adjust(&limits)
    let engine = ScriptEngine(workers: workers, limits: limits)
    do {
        let result = try await body(engine)
        await engine.stop()
        return result
    } catch {
        await engine.stop()
        throw error
    }
}

/// The error of a failed call.
func failure<R>(_ body: () async throws -> R) async -> ScriptError? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? ScriptError
    }
}

/// The code of a failed result.
func code<R>(_ result: Result<R, ScriptError>) -> ScriptError.Code? {
    if case .failure(let error) = result { error.code } else { nil }
}

let empty = Array("{}".utf8)
