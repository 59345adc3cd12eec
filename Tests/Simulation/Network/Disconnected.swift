/// The connection ended: by a fault, or because the other side went down.
struct Disconnected: Error {}
