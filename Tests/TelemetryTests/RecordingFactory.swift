import Coordination
import CoreMetrics

/// A metrics system that writes down each event.
final class RecordingFactory: MetricsFactory {
    private final class Handler: CounterHandler, RecorderHandler, TimerHandler {
        let name: String
        let note: @Sendable (String) -> Void

        init(_ name: String, _ note: @escaping @Sendable (String) -> Void) {
            self.name = name
            self.note = note
        }

        func increment(by amount: Int64) { note("\(name) \(amount)") }
        func reset() {}
        func record(_ value: Int64) { note("\(name) \(value)") }
        func record(_ value: Double) { note("\(name) \(value)") }
        func recordNanoseconds(_ duration: Int64) { note("\(name) \(duration) ns") }
    }

    private let written = Lock<[String]>([])

    var events: [String] { written.withLock { $0 } }

    private func handler(_ label: String, _ dimensions: [(String, String)]) -> Handler {
        let labels = dimensions.map { "\($0.0)=\($0.1)" }.joined(separator: ",")
        return Handler("\(label)[\(labels)]") { [weak self] event in self?.written.withLock { $0.append(event) } }
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler { handler(label, dimensions) }
    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler { handler(label, dimensions) }
    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { handler(label, dimensions) }
    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}
}
