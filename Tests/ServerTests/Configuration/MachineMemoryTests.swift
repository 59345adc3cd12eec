import Testing

@testable import BridgeConfiguration
@testable import Server

@Suite("The memory that the process may have")
struct MachineMemoryTests {
    private static let roots = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"]

    @Test("Its groups and those above them limit it, in both versions of control groups")
    func groups() {
        #expect(
            MachineMemory.limitFiles("0::/system.slice/dualgauge.service\n") == Self.roots + [
                "/sys/fs/cgroup/system.slice/memory.max", "/sys/fs/cgroup/system.slice/dualgauge.service/memory.max",
            ])
        #expect(
            MachineMemory.limitFiles("12:cpu,cpuacct:/a\n9:memory:/docker/b:c\n1:name=systemd:/a\n") == Self.roots + [
                "/sys/fs/cgroup/memory/docker/memory.limit_in_bytes", "/sys/fs/cgroup/memory/docker/b:c/memory.limit_in_bytes",
            ])
    }

    @Test(
        "A container's own group is the root; what is no line of groups counts for nothing",
        arguments: ["0::/\n", "", "\n", "0:", "x", "0::/.."])
    func root(groups: String) {
        #expect(MachineMemory.limitFiles(groups) == Self.roots)
    }

    @Test("There is some")
    func size() {
        #expect(MachineMemory.size > 1 << 20)
    }
}
