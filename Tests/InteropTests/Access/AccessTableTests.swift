import Documents
import Testing

/// The documentation's tables "Behavior following access revocation" and "Behavior if access is regained", row by row, each with a sync
/// function that includes `requireAccess`.
///
/// The table's rows on auto-purge apply to clients that have it: 3.x, and 1.x clients that handle `removed`. Couchbase Lite 1.x and 2.x keep their
/// documents, because their protocols cannot report the loss; they get no further revisions.
@Suite("Access lost and regained", .serialized)
struct AccessTableTests {
    @Test(
        "Following access revocation, pull only: previously synced documents are auto-purged on local",
        arguments: AccessClient.Generation.allCases)
    func revokedPull(_ generation: AccessClient.Generation) async throws {
        try await RunningBridge.runGuarded { bridge in
            for id in ["1", "2"] { try await bridge.write(id) }
            let client = AccessClient(generation, .pull, of: bridge)
            try await client.replicate()
            #expect(await client.documents == ["1@1-1a", "2@1-1a"])
            try await bridge.give([])
            // Changes that the client does not see stay there.
            try await bridge.write("2", 2)
            try await bridge.write("3")
            try await client.replicate()
            switch generation {
            case .legacy:
                // The client requests the missing revision, and gets a removal.
                #expect(await client.documents == ["1@1-1a"])
                #expect(await client.purged == ["2"])
            case .modern2:
                #expect(await client.documents == ["1@1-1a", "2@1-1a"])
            case .legacyHeedingRemovals, .modern3, .modern3Collection:
                #expect(await client.documents == [])
                #expect(await client.purged == ["1", "2"])
            }
            #expect(await client.fetched == 2)
            let headers = basic("anna", "pw1")
            for path in ["1", "2", "3", "1?rev=1-1a&attachments=true", "2?open_revs=all"] {
                let answer = try await bridge.ask("GET", "/shop/\(path)", headers: headers)
                #expect(answer.status == 404 || answer.text.contains("\"_removed\":true"), "\(path): \(answer.text)")
                #expect(!answer.text.contains("order"))
            }
            try await bridge.expectStoreSound()
        }
    }

    @Test(
        "Following access revocation, push only: no impact of auto-purge; documents get pushed, but are rejected",
        arguments: AccessClient.Generation.allCases)
    func revokedPush(_ generation: AccessClient.Generation) async throws {
        try await RunningBridge.runGuarded { bridge in
            let client = AccessClient(generation, .push, of: bridge)
            try await client.edit("1")
            try await client.replicate()
            #expect(try await bridge.all == ["1@1-1a"])
            try await bridge.give([])
            try await client.edit("1", generation: 2)
            try await client.edit("new")
            try await client.replicate()
            #expect(await client.refused == ["1": 403, "new": 403])
            #expect(await client.documents == ["1@2-2a", "new@1-1a"])
            #expect(await client.purged == [])
            #expect(try await bridge.all == ["1@1-1a"])
            try await bridge.expectStoreSound()
        }
    }

    @Test(
        "Following access revocation, push-pull: previously synced documents are auto-purged; local changes are pushed and rejected",
        arguments: AccessClient.Generation.allCases)
    func revokedPushPull(_ generation: AccessClient.Generation) async throws {
        try await RunningBridge.runGuarded { bridge in
            try await bridge.write("1")
            let client = AccessClient(generation, .pushPull, of: bridge)
            try await client.edit("2")
            try await client.replicate()
            #expect(await client.documents == ["1@1-1a", "2@1-1a"])
            try await bridge.give([])
            try await client.edit("new")
            try await client.replicate()
            #expect(await client.refused == ["new": 403])
            #expect(await client.documents == (generation.purgesOnRevocation ? ["new@1-1a"] : ["1@1-1a", "2@1-1a", "new@1-1a"]))
            #expect(await client.purged == (generation.purgesOnRevocation ? ["1", "2"] : []))
            #expect(try await bridge.all == ["1@1-1a", "2@1-1a"], "a purge is not pushed as a deletion")
            try await client.edit("later")
            try await client.replicate()
            #expect(await client.refused == ["new": 403, "later": 403])
            #expect(try await bridge.all == ["1@1-1a", "2@1-1a"])
            try await bridge.expectStoreSound()
        }
    }

    @Test(
        "If access is regained, pull only: previously purged documents that are still in the channel are pulled",
        arguments: AccessClient.Generation.allCases)
    func regainedPull(_ generation: AccessClient.Generation) async throws {
        try await RunningBridge.runGuarded { bridge in
            for id in ["1", "2", "left"] { try await bridge.write(id) }
            let client = AccessClient(generation, .pull, of: bridge)
            try await client.replicate()
            try await bridge.give([])
            try await client.replicate()
            try await bridge.write("left", 2, #""elsewhere":true"#)
            try await bridge.give(["c"])
            try await client.replicate()
            let kept: Set = ["1@1-1a", "2@1-1a"]
            #expect(await client.documents.isSuperset(of: kept))
            if generation.purgesOnRevocation { #expect(await client.documents == kept) }
            #expect(await client.fetched == (generation.purgesOnRevocation ? 5 : 3), "a client that purged nothing gets no document twice")
            // Also after the next update.
            try await bridge.write("1", 2)
            try await client.replicate()
            #expect(await client.documents.contains("1@2-2a"))
            try await bridge.expectStoreSound()
        }
    }

    @Test(
        "If access is regained, push only: rejected changes are pushed again only after a reset of the checkpoint; later changes are pushed",
        arguments: AccessClient.Generation.allCases)
    func regainedPush(_ generation: AccessClient.Generation) async throws {
        try await regained(generation, .push)
    }

    @Test(
        "If access is regained, push-pull: purged documents are pulled; rejected changes are pushed again only after a reset of the checkpoint",
        arguments: AccessClient.Generation.allCases)
    func regainedPushPull(_ generation: AccessClient.Generation) async throws {
        try await regained(generation, .pushPull)
    }

    private func regained(_ generation: AccessClient.Generation, _ direction: AccessClient.Direction) async throws {
        try await RunningBridge.runGuarded { bridge in
            try await bridge.write("1")
            let client = AccessClient(generation, direction, of: bridge)
            try await client.replicate()
            try await bridge.give([])
            try await client.edit("new")
            try await client.replicate()
            #expect(await client.refused == ["new": 403])
            try await bridge.give(["c"])
            try await client.replicate()
            #expect(try await bridge.all == ["1@1-1a"])
            #expect(await client.documents == (direction == .push ? ["new@1-1a"] : ["1@1-1a", "new@1-1a"]))
            try await client.edit("later")
            try await client.replicate()
            #expect(try await bridge.all == ["1@1-1a", "later@1-1a"])
            await client.resetCheckpoint()
            try await client.replicate()
            #expect(try await bridge.all == ["1@1-1a", "later@1-1a", "new@1-1a"])
            try await bridge.expectStoreSound()
        }
    }

    @Test("Every pulling client purges a document that leaves the channel", arguments: AccessClient.Generation.allCases)
    func removed(_ generation: AccessClient.Generation) async throws {
        try await RunningBridge.runGuarded { bridge in
            for id in ["1", "2", "3"] { try await bridge.write(id) }
            let client = AccessClient(generation, .pull, of: bridge)
            try await client.replicate()
            try await bridge.write("1", 2, #""elsewhere":true"#)
            try await bridge.write("2", 2, deleted: true)
            try await client.replicate()
            #expect(await client.purged == ["1"])
            #expect(await client.documents == ["2@2-2a", "3@1-1a"])
            try await bridge.expectStoreSound()
        }
    }
}
