import BLIP
import Gateway
import Storage
import Testing

@testable import ModernServer

@Suite("Progress of a client's pulls")
struct PullProgressTests {
    @Test("A client without a checkpoint that has pulled nothing may be new")
    func first() {
        var progress = PullProgress()
        #expect(progress.isFirst)
        progress.hasCheckpoint = true
        #expect(!progress.isFirst)
        progress = PullProgress()
        progress.catchUp()
        #expect(!progress.isFirst)
    }

    @Test("A client is waited for until its pull has caught up or is abandoned")
    func awaited() {
        var progress = PullProgress()
        #expect(progress.isAwaited)
        progress.abandon()
        #expect(!progress.isAwaited && progress.isFirst)
        progress = PullProgress()
        progress.catchUp()
        #expect(!progress.isAwaited)
    }

    @Test("The next pull starts over, and stays caught up")
    func next() throws {
        let end = try #require(FeedPosition("7"))
        var progress = PullProgress()
        progress.reach(end, with: try SubChanges(.request("subChanges")))
        progress.catchUp()
        #expect(progress.reached?.position == end)
        progress.reset()
        #expect(progress.reached == nil && progress.hasCaughtUp)
    }
}
