import Foundation
import Soak
import Testing

@Suite("Continuous load for 15 seconds")
struct SoakTests {
    @Test(
        "With clients of all kinds and faults, no acknowledged edit is lost, and each client gets its documents",
        .timeLimit(.minutes(15)))
    func soak() async throws {
        let folder = try TemporaryFolder()
        let program = try Program.path()
        let library = URL(fileURLWithPath: program).deletingLastPathComponent().appendingPathComponent("libTroubles.so").path
        #expect(FileManager.default.fileExists(atPath: library))
        var settings = SoakSettings(
            duration: .seconds(15), clients: 40, seed: 1, troubles: Trouble.ofBridge, program: program, library: library,
            folder: folder.path)
        // Other tests run at the same time, on few processors, so durations are not checked.
        settings.bounds.memory = 1_000
        settings.bounds.read = .seconds(90)
        settings.bounds.write = .seconds(90)
        settings.bounds.worstRead = .seconds(90)
        settings.bounds.settling = .seconds(300)
        settings.bounds.ending = .seconds(90)
        let report = try await Soak(settings).run()
        #expect(report.breaches.isEmpty, "\(report.text)")
    }
}
