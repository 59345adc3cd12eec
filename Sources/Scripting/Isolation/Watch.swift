import CJavaScriptCore

/// Watches one worker's scripts: JavaScriptCore asks it, on the worker's thread and at a point where a script can be ended, after
/// each ``interval`` of processor time whether the script is to go on.
///
/// All but one limit are of the thread's own processor time, so that what else the machine does ends no script.
final class Watch {
    /// Calls after which a batch's time is looked at, if none of them was long enough to be.
    private static let callsPerLook = 32

    /// Why the present call was ended, if it was.
    private(set) var verdict: ScriptError.Code?
    /// Ends whatever runs: the contexts are being released.
    var isClosing = false

    private let limits: ScriptLimits
    /// Whether the engine was stopped, which ends what runs.
    private let isStopped: () -> Bool
    private let interval: Duration
    private let residentMemory = ResidentMemory()
    private var baseline: Int?
    private var batchStart = Duration.zero
    private var callsSinceLook = 0
    private var isBatchOver = false
    /// When the present call began by both clocks; nil until it is first looked at, which few calls ever are.
    private var call: (start: Duration, wallStart: ContinuousClock.Instant)?

    init(limits: ScriptLimits, isStopped: @escaping () -> Bool) {
        self.limits = limits
        self.isStopped = isStopped
        interval = min(.milliseconds(10), max(limits.timeLimit, .milliseconds(1)) / 10)
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
        let seconds = isClosing ? 0 : interval / .seconds(1)
        JSContextGroupSetExecutionTimeLimit(group, seconds, callback, Unmanaged.passUnretained(self).toOpaque())
    }

    func beginBatch() {
        batchStart = ThreadClock.now
        baseline = residentMemory.bytes()
        callsSinceLook = 0
        isBatchOver = false
        call = nil
        verdict = nil
    }

    /// Starts a call. False when the batch has used up its time.
    func beginCall() -> Bool {
        callsSinceLook += 1
        if call != nil || verdict != nil {
            call = nil
            verdict = nil
            baseline = residentMemory.bytes()
            callsSinceLook = Self.callsPerLook
        }
        if callsSinceLook >= Self.callsPerLook {
            callsSinceLook = 0
            isBatchOver = ThreadClock.now - batchStart >= limits.batchTimeLimit
        }
        return !isBatchOver
    }

    private func shouldEnd(_ context: JSContextRef) -> Bool {
        if isClosing { return true }
        let now = ThreadClock.now
        // The first look comes when the call has had the interval, or later on a busy machine: that is the call's luck.
        let call = self.call ?? (now - interval, .now - interval)
        self.call = call
        if isStopped() {
            verdict = .stopped
            return true
        }
        let isLate = now - call.start >= limits.timeLimit || now - batchStart >= limits.batchTimeLimit
        if isLate || .now - call.wallStart >= limits.wallTimeLimit {
            verdict = .timeout
        } else if let baseline, let bytes = residentMemory.bytes(), bytes - baseline > limits.memoryLimit {
            // Something in the process grew. The heap's own figures, which take milliseconds to gather, tell whether it was this
            // script; they leave out what a native step holds, so a part of the growth is enough.
            if HeapStatistics.size(of: context) > limits.memoryLimit / 4 {
                verdict = .memory
            } else {
                self.baseline = bytes
            }
        }
        return verdict != nil
    }
}
