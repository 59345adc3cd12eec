import CJavaScriptCore

/// Watches one worker's scripts: JavaScriptCore asks it, on the worker's thread and at a point where a script can be ended, after
/// each ``interval`` of processor time whether the script is to go on.
final class Watch {
    /// Why the present call was ended, if it was.
    private(set) var verdict: ScriptError.Code?
    /// Ends whatever runs: the contexts are being released.
    var isClosing = false

    private let limits: ScriptLimits
    private let interval: Double
    private let ticksPerCall: Int
    private let ticksPerBatch: Int
    private let residentMemory = ResidentMemory()
    private var ticks = 0
    private var batchTicks = 0
    private var baseline: Int?

    init(limits: ScriptLimits) {
        self.limits = limits
        let seconds = min(max(limits.timeLimit / .seconds(1), 0.001), 86_400)
        interval = min(0.01, seconds / 10)
        ticksPerCall = Int((seconds / interval).rounded(.up))
        ticksPerBatch = max(ticksPerCall, Int(min(limits.batchTimeLimit / .seconds(1), 86_400) / interval))
    }

    /// Starts to watch the scripts of a context group. It must be released before the watch is.
    func watch(_ group: JSContextGroupRef) {
        let callback: JSShouldTerminateCallback = { context, info in
            guard let context, let info else { return true }
            let watch = Unmanaged<Watch>.fromOpaque(info).takeUnretainedValue()
            if watch.shouldEnd(context) { return true }
            // A limit that has passed is gone, and the script with it would go on for ever: set it again.
            watch.watch(JSContextGetGroup(context))
            return false
        }
        // No limit at all while closing: whatever still wants to run ends at its first step.
        JSContextGroupSetExecutionTimeLimit(group, isClosing ? 0 : interval, callback, Unmanaged.passUnretained(self).toOpaque())
    }

    func beginBatch() {
        batchTicks = 0
        baseline = residentMemory.bytes()
    }

    /// Starts the count for a call. False when the batch has used up its time.
    func beginCall() -> Bool {
        if ticks > 0 || verdict != nil {
            batchTicks += ticks
            ticks = 0
            verdict = nil
            baseline = residentMemory.bytes()
        }
        return batchTicks < ticksPerBatch
    }

    private func shouldEnd(_ context: JSContextRef) -> Bool {
        if isClosing { return true }
        ticks += 1
        if ticks >= ticksPerCall || batchTicks + ticks >= ticksPerBatch {
            verdict = .timeout
        } else if let baseline, let now = residentMemory.bytes(), now - baseline > limits.memoryLimit {
            // Something in the process grew. The heap's own figures, which take milliseconds to gather, tell whether it was this
            // script; they leave out what a native step holds, so a part of the growth is enough.
            if HeapStatistics.size(of: context) > limits.memoryLimit / 4 {
                verdict = .memory
            } else {
                self.baseline = now
            }
        }
        return verdict != nil
    }
}
