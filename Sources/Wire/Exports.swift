// A client imports this module only: records contain JSON values.

@_exported public import JSON
