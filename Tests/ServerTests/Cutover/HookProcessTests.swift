import Foundation
import Testing

@testable import Server

@Suite("Hook programs before and after a step", .timeLimit(.minutes(2)))
struct HookProcessTests {
    private func run(_ script: String, _ input: String = "", timeout: Duration = .seconds(60)) async throws -> HookResult {
        let folder = try TemporaryFolder()
        let path = try folder.write("#!/bin/sh\n\(script)\n", to: "hook.sh")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        return await HookProcess(path: path, environment: ["GIVEN": "a b"], input: Array(input.utf8), timeout: timeout).run()
    }

    @Test("A hook gets its input and variables, and both its outputs are kept")
    func conversation() async throws {
        let result = try await run(#"cat; echo "$GIVEN"; echo wrong >&2; test -n "$PATH""#, "hello\n")
        #expect(result.hasSucceeded)
        #expect(result.output == "hello\na b\nwrong\n")
    }

    @Test("The result is an exit code, a signal, or an error for a program that is missing or cannot be run")
    func ends() async throws {
        let failed = try await run("exit 7")
        #expect(failed.end == .exited(7), "\(failed)")
        #expect(!failed.hasSucceeded && failed.description.contains("exit code 7"))
        let killed = try await run("kill -9 $$")
        #expect(killed.end == .killed(signal: 9))
        let missing = await HookProcess(path: "/no/such/hook", environment: [:], input: [], timeout: .seconds(60)).run()
        guard case .notStarted(let why) = missing.end else {
            Issue.record("\(missing)")
            return
        }
        #expect(why.contains("No such file") && missing.description.contains("/no/such/hook"))
    }

    @Test("A hook that takes too long is killed with its children, and does not delay the step")
    func timeout() async throws {
        let result = try await run("trap '' TERM; echo begun; sleep 600 & sleep 600", timeout: .milliseconds(300))
        #expect(result.end == .timedOut)
        #expect(result.output.isEmpty || result.output == "begun\n")
    }

    @Test("A bounded part of the output is kept, and a hook's remaining children are not waited for")
    func output() async throws {
        let result = try await run("head -c 100000 /dev/zero | tr '\\0' x; sleep 5 & exit 0")
        #expect(result.hasSucceeded && result.output.utf8.count == 8 << 10)
    }
}
