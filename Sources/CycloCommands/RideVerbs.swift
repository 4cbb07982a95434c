// The verbs for ride, rider and bikes, and those that back up and restore the saved state.

public import CommandTable
import Vocabulary

extension Option {
  public static let add = Option(
    "add", .required(UserWord("SENSOR", .sensor)), "Add SENSOR to the bike; can be repeated",
    repeated: true)
  public static let drop = Option(
    "drop", .required(UserWord("SENSOR", .sensor)), "Remove SENSOR from the bike; can be repeated", repeated: true)
  public static let remove = Option("remove", .none, "Delete the bike; its sensors stay paired")
}

extension Verb {
  static let ride = Verb(
    "ride", "Show the ride, start or end a ride or a lap, pause, or change settings", group: .ride,
    details: [
      "Without ACTION it shows the ride so far: time, distance, averages, the current lap, the "
        + "finished laps, training numbers and zones. With --json it prints the last sample of each "
        + "kind of the ride, and an object with the finished laps if there are any.",
      "A ride starts by itself with the first movement after three hours without any, pauses when "
        + "the bike stops, and resumes when it moves. Use ACTION to override that. new ends the "
        + "current ride and starts another from 0; SPORT can be cycling, running, walking or rowing. "
        + "lap starts the next lap. pause stops counting until resume, even if the bike moves. end "
        + "closes the ride: nothing counts until new, or until the bike moves after a standstill.",
      "settings shows when a ride pauses and when a lap begins by itself, and SETTING, which is "
        + "KEY=VALUE, changes that: auto_pause=off, auto_pause_speed=5km/h, auto_pause_delay=10, "
        + "lap_distance=5km. It is saved and overrides cyclometer.conf. KEY= clears it.",
    ],
    arguments: [
      Argument("ACTION", .oneOf(["new", "lap", "pause", "resume", "end", "settings"]), required: false),
      Argument("SPORT|SETTING", .rideDetail, required: false, repeated: true),
    ],
    examples: [
      Example("cyclo ride", "distance, time and effort so far"),
      Example("cyclo ride new", "start counting from 0"),
      Example("cyclo ride lap", "for example from a handlebar button"),
      Example("cyclo ride new running", "with a foot pod"),
      Example("cyclo ride settings lap_distance=5km", "a lap every five kilometres"),
    ])

  static let rider = Verb(
    "rider", "Show or change the rider's data", group: .ride,
    details: [
      "SETTING is KEY=VALUE; you can give several. KEY VALUE works too. KEY= clears the value. "
        + "Without SETTING it lists all keys and their current values.",
      Setting.sentence(Setting.ofRider),
      "Power zones, intensity factor and training stress score need threshold_power; W' balance "
        + "needs w_prime too. Heart-rate load needs resting_bpm, max_bpm and sex.",
      "Zones are computed from zone_floors, or else from threshold_bpm, or else from max_bpm. "
        + "Energy without a power meter needs weight, age and sex. Nothing is guessed: if a value is "
        + "missing, the numbers that need it are omitted. A weight can have a unit (kg, lb; default "
        + "kg).",
      "The values are stored in a file that only the daemon's user can read. The daemon returns "
        + "them to root, to its own user and to members of the group cyclometer.",
    ],
    arguments: [Argument("SETTING", .riderSetting, required: false, repeated: true)],
    examples: [
      Example("cyclo rider weight=72.5kg age=41 sex=female", "energy from the heart rate"),
      Example("cyclo rider zone_floors=95,114,133,152,171", "zones from a test"),
      Example("cyclo rider threshold_power=260 w_prime=20kJ", "training stress score and W' balance"),
      Example("cyclo rider max_bpm=", "clear it"),
    ])

  static let bike = Verb(
    "bike", "Show or change bikes", group: .ride,
    details: [
      "A bike is a named set of sensors that are used together, with the size of its wheels and "
        + "the nominal pressure of its tires. Without NAME all bikes are shown, with the current one "
        + "marked; with NAME alone, that bike. With NAME and anything more, a bike that does not exist "
        + "yet is created.",
      "The current bike is detected from the sensors that are awake. Shared sensors do not count: "
        + "add a radar that you use on two bikes to both. A heart rate strap is worn, so it does not "
        + "identify a bike.",
      "SETTING is KEY=VALUE; you can give several. KEY VALUE works too, and KEY= resets the "
        + "setting. name=OTHER renames the bike. They apply to the bike's sensors that have no value of "
        + "their own (see 'cyclo set'); the role of a sensor decides whether it is front or rear. "
        + howSensorsAreNamed,
      Setting.sentence(Setting.ofBike),
    ],
    arguments: [
      Argument("NAME", .bike, required: false), Argument("SETTING", .bikeSetting, required: false, repeated: true),
    ],
    options: [.add, .drop, .remove],
    examples: [
      Example("cyclo bike Gravel --add wheel --add assioma circumference=2200mm", "create a bike with two sensors"),
      Example("cyclo bike Gravel front_pressure=2.5bar rear_pressure=2.7bar", "its nominal tire pressures"),
      Example("cyclo bike", "which bike is current?"),
    ])

  static let export = Verb(
    "export", "Save sensors, rider and bikes to a file", group: .ride,
    details: [
      "Saves the sensors with their names and settings, the rider, the bikes and the settings of the "
        + "ride. Use 'cyclo import' to load the file on a new card or another computer. FILE is "
        + "replaced as a whole and only its owner can read it. Without FILE, or with -, it goes to "
        + "standard output.",
      "Bonding keys are not included: they belong to bluetoothd, in /var/lib/bluetooth.",
    ],
    arguments: [Argument("FILE", .file, required: false)],
    examples: [
      Example("cyclo export cyclometer.json", "before you change the card"),
      Example("cyclo export | jq .rider", "only the rider"),
    ])

  static let `import` = Verb(
    "import", "Load a file written by 'cyclo export'", group: .ride,
    details: [
      "The whole FILE is checked first. If it has an error, the message says where, and nothing "
        + "changes. FILE can be - for standard input.",
      "If a sensor with the same address is already paired, it keeps its id and gets the name and "
        + "settings of the file. The other sensors are added, and the daemon connects to them as soon "
        + "as it finds them. Sensors that are not in FILE stay. The rider, the bikes and the settings "
        + "of the ride are replaced. Sensors that were bonded must be paired again on this computer; "
        + "the command is printed.",
    ],
    arguments: [Argument("FILE", .file)],
    examples: [
      Example("cyclo import cyclometer.json", "on the new card")
    ])
}
