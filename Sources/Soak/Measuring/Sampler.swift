import Foundation
import Synchronization

/// Looks at the bridge's process once a second.
final class Sampler: Sendable {
    struct Sample {
        let process: pid_t
        let memory: Int
        let descriptors: Int

        /// `dualgauge_memory_used_bytes` and `dualgauge_memory_limit_bytes`; `nil` where `/metrics` did not answer.
        let account: Double?
        let accountLimit: Double?
    }

    private let world: World
    private let taken = Mutex<[Sample]>([])

    var samples: [Sample] { taken.withLock { $0 } }

    init(_ world: World) {
        self.world = world
    }

    func run() async {
        while !Task.isCancelled {
            let process = world.bridge.process
            let state = ProcessSample(process)
            let metrics = await world.bridge.metrics()
            let sample = Sample(
                process: process, memory: state.memory, descriptors: state.descriptors, account: metrics["dualgauge_memory_used_bytes"],
                accountLimit: metrics["dualgauge_memory_limit_bytes"])
            // One that was killed has no memory.
            if state.memory > 0 { taken.withLock { $0.append(sample) } }
            // The pace of the samples.
            try? await Task.sleep(for: .seconds(1))
        }
    }
}
