import BLIP
import Gateway
import Storage
import Testing

@testable import ModernClient
@testable import ModernServer

@Suite("How far a client has come with its pulls")
struct PullProgressTests {
    @Test("Who has neither a checkpoint nor pulled may come for the first time")
    func first() {
        var progress = PullProgress()
        #expect(progress.isFirst)
        progress.hasCheckpoint = true
        #expect(!progress.isFirst)
        progress = PullProgress()
        progress.catchUp()
        #expect(!progress.isFirst)
    }

    @Test("A client is waited for until it has all, or does not pull")
    func awaited() {
        var progress = PullProgress()
        #expect(progress.isAwaited)
        progress.abandon()
        #expect(!progress.isAwaited && progress.isFirst)
        progress = PullProgress()
        progress.catchUp()
        #expect(!progress.isAwaited)
    }

    @Test("The next pull begins on its way, and what the client has had stays")
    func next() throws {
        let end = try #require(FeedPosition("7"))
        var progress = PullProgress()
        progress.reach(end, with: try SubChanges(.request("subChanges"), origin: .newOrigin))
        progress.catchUp()
        #expect(progress.reached?.position == end)
        progress.reset()
        #expect(progress.reached == nil && progress.hasCaughtUp)
    }
}
