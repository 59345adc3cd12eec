// The types of lower modules in the signatures of this one: `import ModernClient` suffices for them.

@_exported public import struct HTTP.OutboundProxy
@_exported public import protocol ModernProtocol.MessageSocket
@_exported public import enum ModernProtocol.Subprotocol
