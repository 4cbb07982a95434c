// A plugin imports this module only: times and the words of samples come with it.

@_exported public import Time
@_exported public import Vocabulary
