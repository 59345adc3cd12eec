import Testing

/// Histories: generation, text and reduction.
@Suite("Histories")
struct HistoryTests {
    private func history(_ seed: UInt64, _ dialect: Dialect = .gateway32) -> History {
        var generator = HistoryGenerator(seed: seed, dialect: dialect)
        return generator.history()
    }

    @Test("A seed gives the same history each time, and its text can be parsed", arguments: Dialect.allCases)
    func text(_ dialect: Dialect) throws {
        for seed in 1...200 as ClosedRange<UInt64> {
            let drawn = history(seed, dialect)
            #expect(history(seed, dialect) == drawn)
            #expect(try History(parsing: drawn.lines) == drawn, "\(drawn)")
        }
    }

    @Test("Every kind of step is drawn")
    func coverage() {
        let text = (1...300 as ClosedRange<UInt64>).map { history($0).description }.joined(separator: "\n")
        for word in [
            "account role:", "account GUEST", "disabled", "drop ", "batch", "replicated", "parent=", "deleted", "access=", "role=",
            "owner=",
            "needs=", "once", "forget ", "open ", "close ", "list ", "feed=longpoll", "feed=continuous", "feed=blip", "channels=*",
            "active",
            "limit=", "revocations", "leaves", "pushed", "file=new", "file=kept", "read ", "passwords",
        ] {
            #expect(text.contains(word), "never: \(word)")
        }
    }

    @Test("A recording's text can be parsed")
    func recording() throws {
        for dialect in Dialect.allCases {
            for recording in try RecordingTests.recordings(dialect) {
                let again = try Recording(parsing: recording.text)
                #expect(again.history == recording.history && again.observations == recording.observations)
            }
        }
    }

    @Test("A history is reduced to the steps that are needed for the failure")
    func shrinking() async throws {
        let drawn = history(7)
        let needed = [drawn.steps[2], drawn.steps[9]]
        var shrinker = Shrinker()
        let shrunk = try await shrinker.shrink(drawn) { smaller in needed.allSatisfy(smaller.steps.contains) }
        #expect(shrunk.steps == needed)
    }
}
