// The command line of `cyclometerd`. What it does is decided by its configuration file; options only say where things are.

extension Option {
  public static let config = Option(
    "config", .required(Word("FILE", .file)), "Read this file and the conf.d beside it")
  public static let stateDirectory = Option(
    "state-dir", .required(Word("DIRECTORY", .file)), "Keep there what was learned (paired sensors)")
  public static let runtimeDirectory = Option(
    "runtime-dir", .required(Word("DIRECTORY", .file)), "Make the sockets there")
  public static let simulate = Option(
    "simulate", .optional(Word("SCENE", .file)),
    "Play a scene (ride: a strap; bike: a whole bike) or a capture instead of using Bluetooth")
}

extension Program {
  public static let cyclometerd = Program(
    name: "cyclometerd", summary: "Keep the Bluetooth sensors of a bike connected and tell every program what they say",
    options: [.config, .stateDirectory, .runtimeDirectory, .simulate, .version, .help])
}
