import Gateway
import Server
import TestSupport

extension RunningBridge {
    /// Runs a bridge without collections, as an old server.
    static func runOld(in folder: TemporaryFolder? = nil, _ body: @Sendable (RunningBridge) async throws -> Void) async throws {
        try await run(
            {
                $0.routes = []
                $0.collections = []
            }, in: folder, body)
    }

    /// Waits until the bridge and another server have the same leaves of a number of documents.
    func converge(with other: RunningBridge, _ count: Int) async throws {
        try await eventually {
            let (here, there) = (try await CutoverWorld.leaves(of: self), try await CutoverWorld.leaves(of: other))
            return here.count == count && here == there
        }
    }
}
