extension ReportPage {
    private static let width = 800.0
    private static let height = 200.0
    private static let bottom = 170.0
    private static let left = 56.0

    var timelineSection: HTML? {
        guard report.timeline.samples.count > 1 else { return nil }
        return section("Time line", [HTML("figure", [chart, caption])])
    }

    /// The rate as an area, the share of read documents as a line, and periods of throttling as shaded backgrounds.
    private var chart: HTML {
        let samples = report.timeline.samples
        let end = max(samples.last?.time ?? 0, 1)
        let highest = max(samples.map(\.rate).max() ?? 0, 1)
        let total = Double(max(samples.last?.documents ?? 0, 1))
        func x(_ time: Double) -> Double { Self.left + (Self.width - Self.left) * min(max(time / end, 0), 1) }
        func y(_ share: Double) -> Double { Self.bottom - (Self.bottom - 10) * min(max(share, 0), 1) }
        let rates = samples.map { "\(Self.number(x($0.time))),\(Self.number(y($0.rate / highest)))" }
        let area =
            ["\(Self.number(x(samples[0].time))),\(Self.number(Self.bottom))"] + rates
            + ["\(Self.number(x(end))),\(Self.number(Self.bottom))"]
        let progress = samples.map { "\(Self.number(x($0.time))),\(Self.number(y(Double($0.documents) / total)))" }
        let shades = slowStretches.map { stretch in
            HTML(
                "rect",
                [
                    "class": "slow", "x": Self.number(x(stretch.start)), "y": "10",
                    "width": Self.number(max(x(stretch.end) - x(stretch.start), 2)), "height": Self.number(Self.bottom - 10),
                ], [HTML("title", stretch.reason)])
        }
        return HTML(
            "svg",
            [
                "viewBox": "0 0 \(Self.number(Self.width)) \(Self.number(Self.height))", "role": "img",
                "aria-label": "Documents a second over \(ReportFormat.duration(end)), at most \(ReportFormat.rate(highest))",
            ],
            shades + [
                HTML("polygon", ["class": "rate", "points": area.joined(separator: " ")], []),
                HTML("polyline", ["class": "progress", "points": progress.joined(separator: " ")], []),
                HTML(
                    "line",
                    [
                        "class": "axis", "x1": Self.number(Self.left), "y1": Self.number(Self.bottom), "x2": Self.number(Self.width),
                        "y2": Self.number(Self.bottom),
                    ], []),
                label(ReportFormat.rate(highest), x: Self.left - 6, y: 18, anchor: "end"),
                label("0", x: Self.left - 6, y: Self.bottom, anchor: "end"),
                label("0", x: Self.left, y: Self.bottom + 18, anchor: "start"),
                label(ReportFormat.duration(end / 2), x: x(end / 2), y: Self.bottom + 18, anchor: "middle"),
                label(ReportFormat.duration(end), x: Self.width, y: Self.bottom + 18, anchor: "end"),
            ])
    }

    private var caption: HTML {
        let key = HTML("p", "Area: documents a second. Line: share of the documents. Shaded: slowed down.")
        let stretches = slowStretches
        let items = stretches.prefix(50).map {
            HTML("li", "\(ReportFormat.duration($0.start)) to \(ReportFormat.duration($0.end)): \($0.reason)")
        }
        return HTML("figcaption", items.isEmpty ? [key] : [key, HTML("ul", items)])
    }

    /// Periods with one throttle reason each.
    private var slowStretches: [(start: Double, end: Double, reason: String)] {
        var stretches: [(start: Double, end: Double, reason: String)] = []
        var before = 0.0
        var isOpen = false
        for sample in report.timeline.samples {
            if let reason = sample.throttle {
                if isOpen, stretches.last?.reason == reason {
                    stretches[stretches.count - 1].end = sample.time
                } else {
                    stretches.append((before, sample.time, reason))
                }
            }
            isOpen = sample.throttle != nil
            before = sample.time
        }
        return stretches
    }

    private func label(_ text: String, x: Double, y: Double, anchor: String) -> HTML {
        HTML("text", ["x": Self.number(x), "y": Self.number(y), "text-anchor": anchor], text)
    }

    /// At most one digit after the decimal point: sufficient for a screen, and identical on every machine.
    private static func number(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(abs(tenths % 10))"
    }
}
