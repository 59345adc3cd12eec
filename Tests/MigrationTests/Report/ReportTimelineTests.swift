import Migration
import Testing

@Suite("The time line of a report")
struct ReportTimelineTests {
    @Test("A rate is that of the time since the previous sample")
    func rates() {
        var timeline = ReportTimeline()
        timeline.add(time: 2, documents: 10, bytes: 0, activity: "copying")
        timeline.add(time: 4, documents: 110, bytes: 0, activity: "copying")
        timeline.add(time: 5, documents: 110, bytes: 0, activity: "comparing")
        #expect(timeline.samples.map(\.rate) == [5, 50, 0])
    }

    @Test("A sample that comes too soon is merged into the previous one, and a reason for a slower run is kept")
    func joins() {
        var timeline = ReportTimeline()
        for tenth in 0...100 {
            timeline.add(
                time: Double(tenth) / 10, documents: tenth, bytes: tenth, activity: "copying",
                throttle: tenth == 42 ? "source is slow" : nil)
        }
        #expect((10...12).contains(timeline.samples.count))
        #expect(timeline.samples.last?.documents == 100)
        #expect(timeline.samples.filter { $0.throttle != nil }.count == 1)
    }

    @Test("A long run takes no more room than a minute")
    func bounded() {
        var timeline = ReportTimeline()
        for second in 0...40_000 {
            timeline.add(
                time: Double(second), documents: second * 3, bytes: second, activity: "copying",
                throttle: second == 20_000 ? "the disk is slow" : nil)
        }
        #expect(timeline.samples.count <= ReportTimeline.maximum)
        #expect(timeline.samples.count > ReportTimeline.maximum / 3)
        #expect(timeline.samples.last?.documents == 120_000)
        #expect(timeline.samples.dropFirst().allSatisfy { abs($0.rate - 3) < 0.001 })
        #expect(timeline.samples.filter { $0.throttle != nil }.count == 1)
        #expect(zip(timeline.samples, timeline.samples.dropFirst()).allSatisfy { $0.time < $1.time })
    }
}
