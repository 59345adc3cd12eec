import Testing

@testable import BridgeConfiguration
@testable import Server

@Suite("The memory limit of the process")
struct MachineMemoryTests {
    private static let roots = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"]

    @Test("The process's groups and their parents limit the memory, in both versions of control groups")
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
        "A container's own group is the root; a line that is not a group's is ignored",
        arguments: ["0::/\n", "", "\n", "0:", "x", "0::/.."])
    func root(groups: String) {
        #expect(MachineMemory.limitFiles(groups) == Self.roots)
    }

    @Test("The limit of this machine is positive")
    func size() {
        #expect(MachineMemory.size > 1 << 20)
    }
}
