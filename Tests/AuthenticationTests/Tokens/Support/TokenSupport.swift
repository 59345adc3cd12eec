import Access
import Coordination

@testable import Authentication

/// A clock that advances only on request, in seconds.
final class SecondClock: Sendable {
    private let time: Lock<Int64>

    init(_ time: Int64 = 1_800_000_000) {
        self.time = Lock(time)
    }

    var now: Int64 { time.withLock { $0 } }
    var clock: AccessClock { AccessClock { self.now * 1000 } }

    func advance(_ seconds: Int64) { time.withLock { $0 += seconds } }
}

/// Limits that a busy machine does not reach. A test of a limit sets its own.
var patientLimits: VerificationLimits {
    var limits = VerificationLimits()
    limits.connectTimeout = .seconds(300)
    limits.timeout = .seconds(300)
    return limits
}

/// Runs a body with a client, which is closed afterwards.
func withClient<Value>(
    _ limits: VerificationLimits = patientLimits, authorityFile: String? = nil, _ body: (VerificationClient) async throws -> Value
) async throws -> Value {
    let client = VerificationClient(limits: limits, authorityFile: authorityFile)
    let result: Result<Value, any Error>
    do {
        result = .success(try await body(client))
    } catch {
        result = .failure(error)
    }
    await client.close()
    return try result.get()
}

/// The error of a login that must fail; `nil` if it succeeds.
func refusal<Value>(_ body: () async throws -> Value) async -> LoginError? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? LoginError
    }
}

extension FacebookConfiguration {
    static func test(_ url: String, apps: Apps = .only(["app-1"])) throws -> FacebookConfiguration {
        FacebookConfiguration(apps: apps, graph: try VerificationEndpoint(configured: url))
    }
}
