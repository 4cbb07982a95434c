// Exports of every format.

import Testing

@Suite struct ExportTests {}
