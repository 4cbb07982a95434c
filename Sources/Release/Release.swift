// Which release this is: the one place that says so. The daemon's greeting, both programs and the man pages take it here.

public let release = "0.1.0"
