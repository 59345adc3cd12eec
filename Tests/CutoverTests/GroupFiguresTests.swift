import Testing

@testable import Cutover

@Suite("The figures of a group of devices")
struct GroupFiguresTests {
    @Test(
        "Only statuses that a device would not meet in ordinary replication are errors",
        arguments: [
            (200, nil), (304, nil), (404, nil), (409, nil), (412, nil), (400, ExchangeError.request), (401, .unauthorized),
            (403, .forbidden),
            (413, .request), (500, .server), (503, .server),
        ] as [(Int, ExchangeError?)])
    func errors(status: Int, error: ExchangeError?) {
        #expect(ExchangeError(status: status) == error)
    }

    @Test("Refused documents count as failures, beside responses with an error")
    func failures() {
        var figures = GroupFigures()
        #expect(figures.failureRate == 0)
        figures.requests = 6
        figures.errors = [.server: 1]
        figures.received = 3
        figures.refused = 1
        figures.conflicts = 5
        #expect(figures.failures == 2 && figures.failureRate == 0.2)
    }

    @Test("A quantile is at most a quarter above the duration")
    func quantiles() throws {
        var latency = LatencyDistribution()
        #expect(latency.quantile(0.5) == nil)
        for millisecond in 1...100 { latency.add(seconds: Double(millisecond) / 1_000) }
        latency.add(seconds: .infinity)
        let (median, most) = (try #require(latency.quantile(0.5)), try #require(latency.quantile(1)))
        #expect((0.050...0.0625).contains(median) && (0.1...0.125).contains(most))
        var both = LatencyDistribution()
        both.add(latency)
        both.add(latency)
        #expect(both.quantile(0.5) == median)
        latency.add(seconds: 1e9)
        #expect(try #require(latency.quantile(1)) > 500)
    }

    @Test("A window adds the slots from a time on, and forgets those of more than an hour ago")
    func window() {
        var window = GroupWindow()
        func record(_ times: Int64...) {
            for time in times { window.record(at: time) { $0.requests += 1 } }
        }
        record(0, 3, 5, 100, 3_700)
        #expect(window.figures(from: 0).requests == 2)
        #expect(window.figures(from: 100, to: 105).requests == 1)
        #expect(window.figures(from: 101).requests == 1)
        record(3_701)
        window.split()
        record(3_702, 3_704)
        #expect(window.figures(from: 3_702).requests == 2 && window.figures(from: 3_700).requests == 4)
        #expect(window.figures(from: 3_705) == GroupFigures())
    }
}

@Suite("Sightings of devices")
struct DeviceSightingsTests {
    @Test("Users and devices count on the side of their last request, for an hour")
    func counts() {
        var sightings = DeviceSightings()
        for (device, user, side) in [(1, 10, DeviceSide.here), (2, 10, .here), (3, nil, .oldServer), (1, 10, .oldServer)]
            as [(Int, Int?, DeviceSide)]
        {
            _ = sightings.record(device, user: user, on: side, from: nil, at: 50)
        }
        let counts = sightings.counts(at: 60)
        #expect(counts[.here]?.users == 1 && counts[.here]?.devices == 1)
        #expect(counts[.oldServer]?.users == 1 && counts[.oldServer]?.devices == 2)
        #expect(sightings.counts(at: 50 + GroupWindow.span).isEmpty)
    }

    @Test("A feed read anew counts only after a change of sides, by a device that had a position")
    func rescans() {
        func rescans(_ feeds: [(DeviceSide, Bool?)]) -> [Bool] {
            var sightings = DeviceSightings()
            return feeds.map { sightings.record(7, user: nil, on: $0.0, from: $0.1, at: 0) }
        }
        #expect(rescans([(.oldServer, false), (.here, false)]) == [false, false])
        #expect(rescans([(.oldServer, true), (.oldServer, false), (.here, true)]) == [false, false, false])
        #expect(rescans([(.oldServer, true), (.here, nil), (.here, false), (.here, false)]) == [false, false, true, false])
        #expect(rescans([(.oldServer, true), (.here, true), (.oldServer, false)]) == [false, false, true])
    }
}

@Suite("The guard of moved devices")
struct GuardRulesTests {
    private static func figures(_ requests: Int, errors: Int = 0, received: Int = 0, refused: Int = 0, conflicts: Int = 0) -> GroupFigures {
        var figures = GroupFigures()
        figures.requests = requests
        if errors > 0 { figures.errors = [.server: errors] }
        figures.received = received
        figures.refused = refused
        figures.conflicts = conflicts
        return figures
    }

    @Test("It compares the rates of both groups, and leaves single failures alone")
    func rate() {
        var rules = GuardRules()
        rules.errorRate = Share(hundredths: 200)
        func acts(_ moved: GroupFigures, _ others: GroupFigures = Self.figures(100)) -> Bool {
            rules.finding(moved: moved, others: others, parked: 99) != nil
        }
        #expect(acts(Self.figures(100, errors: 3)) && !acts(Self.figures(200, errors: 3)) && !acts(Self.figures(3, errors: 2)))
        #expect(!acts(Self.figures(100, errors: 3), Self.figures(100, errors: 2)))
        #expect(acts(Self.figures(1, refused: 5)) && !acts(Self.figures(100, conflicts: 50)))
        #expect(
            rules.finding(moved: Self.figures(100, errors: 3), others: Self.figures(0), parked: 0)
                == "moved devices had 3 errors, 3 % of their requests and documents, the others 0 %; the limit is 2 % more")
    }

    @Test("Conflicts and parked revisions have limits of their own")
    func counts() {
        var rules = GuardRules()
        rules.conflicts = 10
        let moved = Self.figures(5, received: 90, conflicts: 10)
        #expect(rules.finding(moved: moved, others: Self.figures(0), parked: 5) == "moved devices had 10 conflicts; the limit is 10")
        // The others have as many of theirs.
        #expect(rules.finding(moved: moved, others: Self.figures(5, received: 9, conflicts: 1), parked: 5) == nil)
        rules.parked = 2
        #expect(rules.finding(moved: Self.figures(0), others: Self.figures(0), parked: 2) == "2 more revisions were parked; the limit is 2")
        #expect(rules.finding(moved: Self.figures(0), others: Self.figures(0), parked: 1) == nil)
    }

    @Test("Percentages have one decimal", arguments: [(0.0, "0 %"), (0.0149, "1.5 %"), (0.2, "20 %"), (1, "100 %")])
    func percent(share: Double, text: String) {
        #expect(GuardRules.percent(share) == text)
    }
}
