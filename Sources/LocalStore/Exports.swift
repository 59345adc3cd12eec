// The types of lower modules in the signatures of this one: `import LocalStore` suffices for them.

@_exported public import struct Documents.JSONMember
@_exported public import enum Documents.JSONValue
@_exported public import struct Documents.RevisionID
@_exported public import struct Gateway.CollectionName
