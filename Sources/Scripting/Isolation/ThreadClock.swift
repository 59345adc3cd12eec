import Foundation

/// The processor time of the thread that asks. Asking is a system call, of some microseconds on a virtual machine.
package enum ThreadClock {
    package static var now: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
