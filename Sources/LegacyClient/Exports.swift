// The type of a lower module in the signatures of this one: `import LegacyClient` suffices for it.

@_exported public import struct HTTP.OutboundProxy
