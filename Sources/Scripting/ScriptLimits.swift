/// Bounds on what functions may take.
public struct ScriptLimits: Hashable, Sendable {
    /// Processor time of one call, in seconds. The engine looks at it about every 50 ms.
    public var seconds = 1.0

    /// Bytes of one call's arguments.
    public var argumentSize = 32 << 20

    /// A worker's context is made anew when its heap has grown beyond this, in bytes.
    public var heapSize = 128 << 20

    /// Calls that may wait for a worker; further callers wait for room.
    public var queueLength = 64

    public init() {}
}
